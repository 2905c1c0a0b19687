"""What a result holds: samples of cells, by name."""

from dataclasses import dataclass, field
from typing import NamedTuple


class Problem(Exception):
    """A result, or a part of one, that cannot be used: what, and why."""


class Sample(NamedTuple):
    """One figure of one cell. curve is what tells it from other cells of the same
    operation, size and method: the allocator, the setting, …"""

    op: str
    size: int  # bytes
    method: str
    curve: str
    seconds: float  # per operation


@dataclass
class Source:
    """What one result file holds."""

    samples: list[Sample] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    machine: str = ""
    date: str = ""


def read_cell(name: str) -> tuple[str, int, str, str] | None:
    """(op, size, method, curve) of a name as Malloc/setting=x/op=walk/size=4096/method=batch.

    None for another benchmark's name. Parts without "=" are Google Benchmark's own
    (manual_time, iterations:100) and say nothing about the cell.
    """
    first, *rest = name.split("/")
    keys = dict(part.split("=", 1) for part in rest if "=" in part)
    if first != "Malloc" or not {"op", "size", "method"} <= keys.keys():
        return None
    op, size, method = keys.pop("op"), keys.pop("size"), keys.pop("method")
    if not (size.isdecimal() and int(size) > 0):
        return None
    return op, int(size), method, ", ".join(keys.values())
