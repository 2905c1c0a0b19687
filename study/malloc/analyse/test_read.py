"""What the readers refuse, and that the check refuses blank pictures and wrong medians.

    python -m unittest analyse.test_read        in study/malloc
"""

import json
import tempfile
import unittest
from pathlib import Path

import matplotlib.pyplot as plt

from . import check, read_config
from .cells import Problem, read_cell
from .config import read_source
from .draw import COLOURS, legend


class Reading(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name, what):
        (self.folder / name).write_text(what if isinstance(what, str) else json.dumps(what))
        return self.folder / name

    def config(self, what, **files):
        for name, content in files.items():
            self.write(name, content)
        return read_config(self.write("config.json", what), "published")

    def test_names(self):
        self.assertEqual(read_cell("Malloc/setting=a/op=walk/size=8/method=batch/iterations:5/manual_time"), ("walk", 8, "batch", "a"))
        for name in ("Malloc", "Malloc/op=walk/size=8", "Malloc/op=walk/size=-8/method=batch", "Malloc/op=walk/size=0/method=batch", "Other/op=a/size=8/method=b"):
            self.assertIsNone(read_cell(name), name)

    def test_config_refused(self):
        for text in ("", "[]", "{}", '{"a": 1}', '{"a": "x", "a": "y"}', '{"a": "gone.json"}'):
            with self.assertRaisesRegex(Problem, "config", msg=text):
                self.config(text)
        with self.assertRaisesRegex(Problem, "gone/config.json"):
            read_config(self.folder / "gone/config.json", "published")

    def test_result_refused(self):
        for text in ("", "<html>", "[]", '{"benchmarks": 5}', '{"benchmarks": []}', '{"context": 3, "benchmarks": [{"name": "BM_Other", "real_time": 1}]}'):
            with self.assertRaises(Problem, msg=text):
                read_source(self.write("result.json", text))
        with self.assertRaisesRegex(Problem, "samples.txt"):
            read_source(self.folder)

    def test_aggregates_and_units(self):
        name = "Malloc/op=calloc/size=64/method=published"
        single = [{"run_name": name, "run_type": "iteration", "real_time": t, "time_unit": "us"} for t in (1, 8, 2)]
        mean = {"run_name": name, "run_type": "aggregate", "aggregate_name": "mean", "real_time": 900, "time_unit": "us"}
        median = mean | {"aggregate_name": "median", "real_time": 3}
        results = self.config({"each": "each", "only": "only"}, each={"benchmarks": single + [mean, median]}, only={"benchmarks": [mean, median]})
        self.assertEqual([round(s * 1e6, 9) for s in results.medians.seconds], [2, 3])
        self.assertEqual(list(results.medians.samples), [3, 1])
        self.assertIn("each: operation walk is absent", results.left_out)

    def test_other_method_and_nothing_left(self):
        zero = {"name": "Malloc/op=calloc/size=64/method=published", "real_time": 0}
        with self.assertRaisesRegex(Problem, "below what its timer can tell"):
            self.config({"a": "a"}, a={"benchmarks": [zero]})
        with self.assertRaisesRegex(Problem, "only of batch"):
            self.config({"a": "a"}, a={"benchmarks": [{"name": "Malloc/op=calloc/size=64/method=batch", "real_time": 1}]})


class Checking(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_refuses_a_picture_without_curves(self):
        def picture(name, values):
            figure, axes = plt.subplots(figsize=(11, 6), dpi=150, layout="constrained")
            axes.plot(range(len(values)), values, color=COLOURS[0], marker="o", label="all that a plot has")
            axes.set_title("but its curve")
            axes.grid()
            legend(axes, axes.get_legend_handles_labels()[0])
            for kind in ("png", "svg"):
                figure.savefig(self.folder / f"{name}.{kind}")
            return self.folder / f"{name}.png"

        check.check_picture(picture("whole", [1, 2, 3, 4]), 1)
        with self.assertRaisesRegex(AssertionError, "pixels of colour"):
            check.check_picture(picture("empty", []), 1)

    def test_refuses_a_wrong_median(self):
        check.make(self.folder)
        results = read_config(self.folder / "config.json", "published")
        table = self.folder / "medians.csv"
        results.medians.to_csv(table, index=False)
        self.assertGreater(check.check_medians(self.folder / "config.json", table), 100)
        results.medians.loc[7, "seconds"] *= 1.001
        results.medians.to_csv(table, index=False)
        with self.assertRaises(AssertionError):
            check.check_medians(self.folder / "config.json", table)


if __name__ == "__main__":
    unittest.main()
