"""Reads results of malloc_bench and draws the four published plots of them.

analyse.ipynb is the way in; README.md beside it says how it is used.
"""

from .cells import Problem
from .config import Results, read_config
from .draw import PLOTS, draw

__all__ = ["PLOTS", "Problem", "Results", "draw", "read_config"]
