"""Proves an executed notebook: scripts/notebook.sh calls it.

    python -m analyse.check make FOLDER              a made-up run folder and its config
    python -m analyse.check verify CONFIG FIGURES PAGE LABELS [WORD…]

verify computes the medians again without the code under test (no pandas, other
parsing), and looks for every label's colour in the pictures. Each WORD must stand in
the executed notebook: what was left out has to be named there.
"""

import csv
import html
import json
import re
import statistics
import sys
from pathlib import Path

import numpy as np
from matplotlib.image import imread

from .draw import COLOURS, PLOTS

OPS = {"malloc_free": 30, "malloc": 20, "calloc": 25, "walk": 40, "walk_after_memset": 35, "noop": 1}
SETTINGS = ("allocator=glibc/setting=default", "allocator=glibc/setting=trim-1", "allocator=jemalloc/setting=default")
SIZES = [2**e for e in range(12, 31, 2)]
PIXELS = 500  # of a label's colour in a picture's left half, where no legend is


def make(folder: Path) -> None:
    """Three curves whose medians are known, among lines that must not count: copies of
    an arm, failures, a damaged line, another study, half a line at the end."""
    run = folder / "run"
    run.mkdir(parents=True)
    lines = ["memcost: 0.1.0", "machine: made-up", "cpu: none", "study: malloc", "toolchain: g++ 12", ""]
    for i, setting in enumerate(SETTINGS):
        for op, ns in OPS.items():
            for size in SIZES:
                name = f"BenchmarkMalloc/{setting}/op={op}/size={size}/method=published"
                middle = ns * (i + 1) * (1 if op == "noop" else size / 4096)
                lines += [f"{name} 100 {middle * k:.9g} ns/op 0 round" for k in (9, 0.5, 1, 1, 0.25)]
                lines += ["role: quarter", f"{name} 25 {middle * 100:.9g} ns/op 0 round", "role:"]
    lines += ["failed: malloc returned NULL", "BenchmarkMalloc/setting=locked/op=calloc/size=4096/method=published 0 1 failed", "failed:"]
    lines += ["BenchmarkMalloc/damaged 1 x ns/op", "BenchmarkSmaug/place=heap/size=64 1 5 ns/op"]
    lines += [f"BenchmarkMalloc/{SETTINGS[0]}/op=walk/size=8/method=published 1 77777"]  # no newline: a killed writer
    (run / "samples.txt").write_text("\n".join(lines))
    (run / "run.json").write_text(json.dumps({"created": "2026-01-02T03:04:05Z"}))
    (folder / "wrong.json").write_text("<html>")
    (folder / "failed.json").write_text(json.dumps({"benchmarks": [
        {"name": "Malloc/op=walk/size=4096/method=published", "error_occurred": True, "error_message": "NULL under RLIMIT_MEMLOCK"},
        {"name": "Malloc/op=calloc/size=4096/method=published", "real_time": 5, "time_unit": "us"}]}))  # fmt: skip
    (folder / "config.json").write_text(json.dumps({"made up": "run", "gone": "gone.json", "wrong": "wrong.json", "partly": "failed.json"}))


def figures_of(path: Path) -> dict[tuple, list[float]]:
    """(op, size, curve): seconds. Of the method published; what failed is not there."""
    if path.is_dir():
        found, role = {}, ""
        for line in (path / "samples.txt").read_text().splitlines(keepends=True):
            role = line[5:].strip() if line.startswith("role:") else role
            if not role and (m := re.match(r"BenchmarkMalloc/(.*)/op=(\w+)/size=(\d+)/method=published \d+ ([\d.e+]+) ns/op .*\n", line)):
                found.setdefault((m[2], int(m[3]), m[1]), []).append(float(m[4]) / 1e9)
        return found
    found = {}
    for e in json.loads(path.read_text())["benchmarks"]:
        m = re.match(r"Malloc/op=(\w+)/size=(\d+)/method=published", e["name"])
        if m and "error_occurred" not in e and "aggregate_name" not in e:
            found.setdefault((m[1], int(m[2]), ""), []).append(e["real_time"] * {"ns": 1e-9, "us": 1e-6}[e["time_unit"]])
    return found


def check_medians(config: Path, table: Path) -> int:
    expected = {}
    for label, file in json.loads(config.read_text()).items():
        if file in ("gone.json", "wrong.json"):
            continue
        for (op, size, curve), seconds in figures_of(config.parent / file).items():
            values = ", ".join(k.split("=")[1] for k in curve.split("/")) if curve else ""
            expected[f"{label}: {values}" if values else label, op, size] = (statistics.median(seconds), len(seconds))
    expected = {k: v for k, v in expected.items() if v[0] > 0}
    rows = list(csv.DictReader(table.read_text().splitlines()))
    got = {(r["label"], r["op"], int(r["size"])): (float(r["seconds"]), int(r["samples"])) for r in rows}
    assert len(got) == len(rows), "a row stands twice in the table"
    assert got.keys() == expected.keys(), f"cells differ: {sorted(got.keys() ^ expected.keys())[:9]}"
    for key, (seconds, samples) in expected.items():
        assert abs(got[key][0] / seconds - 1) < 1e-9 and got[key][1] == samples, f"{key}: {got[key]}, expected {seconds, samples}"
    return len(got)


def check_picture(path: Path, labels: int) -> None:
    pixels = imread(path)[:, :, :3]
    assert min(pixels.shape[:2]) >= 600, f"{path}: only {pixels.shape} pixels"
    assert pixels.var() > 0.005, f"{path}: blank: its variance is {pixels.var():.2g}"
    wanted = [np.array([int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)]) for c in COLOURS[:labels]]
    for colour in wanted:
        left = pixels[:, : pixels.shape[1] // 2]
        n = int((np.abs(left - colour).max(axis=2) < 0.02).sum())
        assert n > PIXELS, f"{path}: {n} pixels of colour {colour} beside the legend"
    svg = path.with_suffix(".svg").read_text()
    assert "<svg" in svg and len(svg) > 5000, f"{path.with_suffix('.svg')}: no picture"


def verify(config: Path, figures: Path, page: Path, labels: int, *words: str) -> None:
    cells = check_medians(config, figures / "medians.csv")
    for plot in PLOTS:
        check_picture(figures / f"{plot.name}.png", labels)
    text = html.unescape(page.read_text())
    for word in words:
        assert word in text, f"the notebook does not say {word!r}"
    print(f"notebook: {config}: {cells} medians and {len(PLOTS)} pictures are right")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]))
    else:
        verify(*map(Path, sys.argv[2:5]), int(sys.argv[5]), *sys.argv[6:])
