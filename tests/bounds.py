"""Bounds of statistical tests, fixed before any number is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

FOUR_SIGMA = 4.0  # one honest test in 16,000 fails; with fixed seeds it fails always or never


def chi_square(counts: Iterable[int], expected: float) -> float:
    """The statistic of equally likely cases."""
    return sum((count - expected) ** 2 for count in counts) / expected


def chi_square_bound(cases: int, z: float = FOUR_SIGMA) -> float:
    """What the statistic exceeds as rarely as a normal deviate exceeds z (Wilson and Hilferty)."""
    freedom = cases - 1
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + z * sqrt(spread)) ** 3
