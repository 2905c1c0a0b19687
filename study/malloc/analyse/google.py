"""Google Benchmark JSON (--benchmark_format=json or --benchmark_out=FILE).

Format: docs/user_guide.md of google/benchmark, "Output Formats" and "Reporting
Statistics" (1.7.1): one entry for each repetition (run_type iteration), then
aggregates of them. An entry that failed has error_occurred and no usable time.
"""

import json
import math
from pathlib import Path

from .cells import Problem, Sample, Source, read_cell

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def read(path: Path) -> Source:
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Problem(f"reading {path}: {error}") from error
    entries = document.get("benchmarks") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise Problem(f"{path}: it is not Google Benchmark JSON: it has no list of benchmarks")
    context = document.get("context")
    context = context if isinstance(context, dict) else {}
    source = Source(machine=machine(context), date=str(context.get("date", ""))[:10])
    for entry in wanted(entries):
        try:
            source.samples.append(read_entry(entry))
        except Problem as problem:
            source.left_out.append(str(problem))
    if not source.samples:
        raise Problem("; ".join([f"{path}: it has no cell of malloc_bench that can be used", *source.left_out[:3]]))
    return source


def wanted(entries: list) -> list[dict]:
    """The repetitions; of a benchmark that shows aggregates only, their median."""
    entries = [e for e in entries if isinstance(e, dict)]
    single = [e for e in entries if e.get("run_type", "iteration") == "iteration"]
    have = {e.get("run_name", e.get("name")) for e in single}
    return single + [e for e in entries if e.get("aggregate_name") == "median" and e.get("run_name") not in have]


def read_entry(entry: dict) -> Sample:
    name = str(entry.get("run_name", entry.get("name")))
    cell = read_cell(name)
    if cell is None:
        raise Problem(f"{name}: it is not a cell of malloc_bench")
    if entry.get("error_occurred"):
        raise Problem(f"{name}: {entry.get('error_message') or 'it failed and gives no reason'}")
    time, unit = entry.get("real_time"), entry.get("time_unit", "ns")
    if not isinstance(time, (int, float)) or not math.isfinite(time) or unit not in UNITS:
        raise Problem(f"{name}: its time {time!r} {unit} cannot be read")
    return Sample(*cell, time * UNITS[unit])


def machine(context: dict) -> str:
    parts = [str(context.get("host_name") or "unnamed machine")]
    if context.get("num_cpus"):
        parts.append(f"{context['num_cpus']} × {context.get('mhz_per_cpu', '?')} MHz")
    if context.get("platform"):  # malloc_bench's own
        parts.append(str(context["platform"]))
    return ", ".join(parts)
