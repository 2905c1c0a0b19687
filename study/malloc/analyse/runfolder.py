"""The folder of a memcost run: samples.txt and, for its date, run.json.

Format: docs/format.md. Configuration lines ("key: value", empty to unset) say what
holds for the lines below them; a sample is "BenchmarkName N value unit value unit …".
"""

import json
import math
import re
from pathlib import Path

from .cells import Problem, Sample, Source, read_cell

CONFIGURATION = re.compile(r"([a-z][^\s:A-Z]*):(?:\s+(.*))?$")


def read(folder: Path) -> Source:
    path = folder / "samples.txt"
    try:
        lines = path.read_text(errors="replace").split("\n")
    except OSError as error:
        raise Problem(f"reading run folder {folder}: {error}") from error
    source, config, arms = Source(date=created(folder)), {}, []
    for number, line in enumerate(lines[:-1], 1):  # behind the last newline: nothing, or half a line
        if match := CONFIGURATION.match(line):
            config[match[1]] = match[2] or ""
        elif line.startswith("Benchmark") and not config.get("role"):  # a role: not the figure itself
            try:
                sample = read_sample(line, config)
            except Problem as problem:
                source.left_out.append(f"samples.txt line {number}: {problem}")
                continue
            if sample:
                source.samples.append(sample)
                arms.append(" ".join(filter(None, [config.get("toolchain"), config.get("arm")])))
                source.machine = ", ".join(filter(None, [config.get("machine"), config.get("cpu")]))
    if not source.samples:
        raise Problem("; ".join([f"run folder {folder}: samples.txt has no sample of the malloc study that can be used", *source.left_out[:3]]))
    if len(set(arms)) > 1:
        source.samples = [s._replace(curve=", ".join(filter(None, [s.curve, arm]))) for s, arm in zip(source.samples, arms)]
    return source


def read_sample(line: str, config: dict) -> Sample | None:
    """None for a benchmark of another study, which a run folder may hold as well."""
    fields = line.split()
    name = fields[0].removeprefix("Benchmark")  # -2 at its end is of a setting: GOMAXPROCS is Go's
    cell = read_cell(name)
    if cell is None and not name.startswith("Malloc/"):
        return None
    if cell is None:
        raise Problem(f"{name}: it is not a cell of malloc_bench")
    figures = dict(zip(fields[3::2], fields[2::2]))
    if "failed" in figures:
        raise Problem(f"{name}: {config.get('failed') or 'it failed and gives no reason'}")
    try:
        seconds = float(figures["ns/op"]) * 1e-9
    except (KeyError, ValueError):
        seconds = math.nan
    if not math.isfinite(seconds):
        raise Problem(f"{name}: the line has no ns/op that can be read")
    return Sample(*cell, seconds)


def created(folder: Path) -> str:
    """The run's date as run.json has it; a folder without one is used all the same."""
    try:
        return str(json.loads((folder / "run.json").read_text())["created"])[:10]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
