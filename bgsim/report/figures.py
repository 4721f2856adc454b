"""Figures as files: the same data give the same bytes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

__all__ = ["drawn"]


@contextmanager
def drawn(out: Path, width: float, height: float) -> Iterator[Figure]:
    """A figure of that size in inches to draw in, which is then written to `out` (.svg, .png or .pdf)."""
    with matplotlib.rc_context({"svg.hashsalt": "bgsim", "font.size": 9, "svg.fonttype": "none"}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None)
