"""From a config file to one table of medians.

A config is a JSON object {"plot label": "result file"}; relative paths are relative
to the config. A result is Google Benchmark JSON (google.py) or the folder of a
memcost run (runfolder.py). Whatever cannot be used is named in Results.left_out, and
the rest goes on: a result that is missing should not cost the others their pictures.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from . import google, runfolder
from .cells import Problem, Sample, Source

# The operations that the plots need. malloc_bench has more.
NEEDED = ("malloc_free", "malloc", "calloc", "walk", "walk_after_memset")
COLUMNS = ["label", "op", "size", "method", "seconds", "samples"]


@dataclass
class Results:
    """medians has a row for each label, op, size (bytes) and method: the median
    `seconds` per operation of that many `samples`. labels are in the config's order."""

    medians: pd.DataFrame
    labels: list[str]
    left_out: list[str]
    machines: list[str]


def read_config(path: Path, method: str) -> Results:
    """Reads every result that the config names. Raises Problem when the config itself
    cannot be used, or when nothing that it names can."""
    tables, left_out, machines = [], [], []
    config = entries(path)
    for label, file in config.items():
        try:
            source = read_source(path.parent / file)
        except Problem as problem:
            left_out.append(f"{label}: {problem}")
            continue
        found, missing = table(source, label, method, alone=len(config) == 1)
        left_out += [f"{label}: {what}" for what in source.left_out] + missing
        if len(found):
            tables.append(found)
            machines.append(f"{source.machine}, {source.date}".strip(", "))
    if not tables:
        raise Problem("\n".join([f"config {path} names no result that can be drawn:", *left_out]))
    medians = pd.concat(tables, ignore_index=True)
    return Results(medians, list(medians.label.unique()), left_out, list(dict.fromkeys(machines)))


def entries(path: Path) -> dict[str, str]:
    def unique(pairs: list) -> dict:
        """JSON's own reader would keep the last of two equal labels and say nothing."""
        for label in {label for label, _ in pairs if [l for l, _ in pairs].count(label) > 1}:
            raise Problem(f"reading config {path}: the label {label!r} stands there twice")
        return dict(pairs)

    try:
        config = json.loads(path.read_text(), object_pairs_hook=unique)
    except (OSError, ValueError) as error:
        raise Problem(f"reading config {path}: {error}") from error
    if not isinstance(config, dict) or not config or not all(isinstance(v, str) for v in config.values()):
        raise Problem(f'reading config {path}: it is not of the form {{"plot label": "result file", …}}')
    return config


def read_source(path: Path) -> Source:
    if not path.exists():
        raise Problem(f"{path}: there is no such file or folder")
    return runfolder.read(path) if path.is_dir() else google.read(path)


def table(source: Source, label: str, method: str, alone: bool) -> tuple[pd.DataFrame, list[str]]:
    """The medians of a source, and what it lacks. A source with several curves gives
    each a label of its own, which names the source too unless it is the only one."""
    every = pd.DataFrame(source.samples, columns=Sample._fields)
    samples = every[every.method == method]
    if samples.empty:
        return pd.DataFrame(columns=COLUMNS), [f"{label}: it has no cell of method={method}, only of {', '.join(sorted(set(every.method)))}"]
    several = samples.curve.nunique() > 1

    def curve_label(curve: str) -> str:
        if not several:
            return label
        return curve or label if alone else f"{label}: {curve or 'no setting'}"

    medians = (
        samples.assign(label=samples.curve.map(curve_label))
        .groupby(["label", "op", "size", "method"], sort=False)
        .seconds.agg(seconds="median", samples="size")
        .reset_index()
    )
    missing = [f"{l}: operation {op} is absent" for l, ops in medians.groupby("label", sort=False).op for op in NEEDED if op not in set(ops)]
    # The timer is subtracted from short times, and a logarithm of 0 cannot be drawn.
    zero = medians.seconds <= 0
    missing += [f"{r.label}: op={r.op} size={r.size}: {r.seconds:g} s is below what its timer can tell" for r in medians[zero].itertuples(index=False)]
    medians = medians[~zero][COLUMNS]
    return medians, missing + doubtful(medians)


def doubtful(medians: pd.DataFrame) -> list[str]:
    """The two are measured apart, so that noise can turn their order round."""
    by = medians.pivot_table(index=["label", "size"], columns="op", values="seconds", sort=False).reindex(columns=["malloc", "malloc_free"])
    above = by[by.malloc > by.malloc_free]
    return [
        f"{r.Index[0]}: size={r.Index[1]}: malloc alone took {r.malloc * 1e9:.3g} ns, malloc and free {r.malloc_free * 1e9:.3g} ns: the whole bar is drawn dark"
        for r in above.itertuples()
    ]
