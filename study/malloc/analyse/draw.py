"""The four published plots: size along x (log2), time along y (log).

malloc+free as bars with the malloc part darker, the others as curves. More labels
than there are colours that can be told apart go into panels below each other, with
the same axes.
"""

import math
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from .config import Results


class Plot(NamedTuple):
    name: str  # of the file
    op: str
    title: str
    axis: str


class Look(NamedTuple):
    label: str
    colour: str
    marker: str


PLOTS = (
    Plot("malloc_free", "malloc_free", "malloc and free (the malloc part darker)", "time for malloc + free"),
    Plot("calloc", "calloc", "calloc", "time for calloc"),
    Plot("walk", "walk", "walk after malloc: one byte written on each page", "time for the walk"),
    Plot("walk_after_memset", "walk_after_memset", "walk after memset: one byte written on each page", "time for the walk"),
)

# Okabe and Ito's colours for all kinds of sight (jfly.uni-koeln.de/color), without
# the yellow, which a white page swallows.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
MARKERS = "os^Dv<P"
FLOOR = "no-op allocator (floor)"


def draw(plot: Plot, results: Results, folder: Path) -> Figure | None:
    """Draws one plot and saves it as PNG and SVG. None when no label has the operation."""
    wanted = results.medians[results.medians.op == plot.op]
    if wanted.empty:
        return None
    groups = looks(results.labels, set(wanted.label))
    sizes = np.array(sorted(wanted["size"].unique()))
    bars = plot.op == "malloc_free"
    width = np.clip(5 + 0.16 * len(sizes) * (max(map(len, groups)) + 1), 11, 18) if bars else 11
    figure, panels = plt.subplots(
        len(groups), 1, sharex=True, sharey=True, squeeze=False, figsize=(width, 2.1 + 4.2 * len(groups)), layout="constrained"
    )
    for axes, group in zip(panels[:, 0], groups):
        (draw_bars if bars else draw_curves)(axes, results.medians, plot.op, group)
        dress(axes, plot)
    ticks(panels[-1, 0], sizes)
    method = wanted.method.iloc[0]
    figure.suptitle(plot.title, fontsize=15, fontweight="bold", x=0.01, ha="left")
    panels[0, 0].set_title(byline(results, method), fontsize=9, color="#444444", loc="left")
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("png", "svg"):
        figure.savefig(folder / f"{plot.name}.{kind}", dpi=150)
    return figure


def looks(labels: list[str], wanted: set[str]) -> list[list[Look]]:
    """The wanted labels, by panel. A label looks the same in all four plots."""
    panels: dict[int, list[Look]] = {}
    for i, label in enumerate(labels):
        if label in wanted:
            panels.setdefault(i // len(COLOURS), []).append(Look(label, COLOURS[i % len(COLOURS)], MARKERS[i % len(COLOURS)]))
    return list(panels.values())


def byline(results: Results, method: str) -> str:
    lines = results.machines[:3] + [f"and {len(results.machines) - 3} more"] * (len(results.machines) > 3)
    return "\n".join([*lines, f"medians, method={method}"])


def curve(medians: pd.DataFrame, label: str, op: str) -> pd.Series:
    """The seconds of an operation by size."""
    rows = medians[(medians.label == label) & (medians.op == op)]
    return rows.set_index("size").seconds.sort_index()


def draw_curves(axes: Axes, medians: pd.DataFrame, op: str, group: list[Look]) -> None:
    for label, colour, marker in group:
        line = curve(medians, label, op)
        axes.plot(np.log2(line.index), line, color=colour, marker=marker, markersize=5, linewidth=1.8, label=label)
    legend(axes, axes.get_legend_handles_labels()[0])


def draw_bars(axes: Axes, medians: pd.DataFrame, op: str, group: list[Look]) -> None:
    """Groups of bars. A bar's length means nothing on a logarithmic axis: the two
    tops, of the light and of the dark part, are what is read."""
    step = 0.84 / len(group)
    handles = []
    for i, (label, colour, _) in enumerate(group):
        total, part = curve(medians, label, op), curve(medians, label, "malloc")
        at = np.log2(total.index) + (i - (len(group) - 1) / 2) * step
        axes.bar(at, total, width=step * 0.92, color=lighter(colour))
        # Measured apart, malloc alone may come out above the pair by noise.
        axes.bar(at, part.reindex(total.index).clip(upper=total), width=step * 0.92, color=colour)
        handles.append(Patch(facecolor=colour, label=label))
    floor = medians[medians.op == "noop"].groupby("size").seconds.median()
    if len(floor):
        axes.plot(np.log2(floor.index), floor, color="black", linestyle=":", linewidth=1.5)
        handles.append(Line2D([], [], color="black", linestyle=":", label=FLOOR))
    legend(axes, handles)


def lighter(colour: str) -> tuple[float, ...]:
    return tuple(1 - (1 - c) * 0.45 for c in to_rgb(colour))


def dress(axes: Axes, plot: Plot) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(base=10, numticks=20))
    axes.yaxis.set_major_formatter(EngFormatter(unit="s"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel(plot.axis)
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.grid(axis="y", which="minor", color="#f0f0f0", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def legend(axes: Axes, handles: list) -> None:
    """Beside the plot: inside, it would hide the bars of slow settings."""
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=9)


def ticks(axes: Axes, sizes: np.ndarray) -> None:
    """A tick at each power of two between the smallest and the largest size; every
    second when there are many."""
    low, high = math.floor(math.log2(sizes[0])), math.ceil(math.log2(sizes[-1]))
    step = 1 if high - low <= 20 else 2
    at = np.arange(low, high + 1, step)
    axes.set_xticks(at, [bytes_word(2**int(e)) for e in at], rotation=45, ha="right", rotation_mode="anchor")
    axes.set_xlim(low - 0.6, high + 0.6)
    axes.set_xlabel("size of the block")


def bytes_word(n: int) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n < 1024 or unit == "GiB":
            return f"{n:g} {unit}"
        n /= 1024
    raise AssertionError("unreachable")
