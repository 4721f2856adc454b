"""Both sides bear off: exact values by numbers of positions (see `numbering`).

V[m][o] is the value to side m, on roll against o. After m's play to m' the other is on roll; with R[m'][o]
what that is worth to him, his cube decision made, V[m] = -mean over the rolls of the least R[m'] among the
plays. The other half, what o on roll against m is worth, is the same sum over o's plays of what m's own row
says. Either is done for as many columns at once as `lanes_of` says, which lie side by side: of a strip of
opponents o for every m', and of a block of m's of equal pip count for every o'. (In rows as long as the table
every play was another page of memory: half as fast.)
"""

import numpy as np

from bgsim.kernels._jit import inlined, jit
from bgsim.kernels.bearoff_plays import ROLLS
from bgsim.kernels.vectors import LEAST_BYTES, add_least


def lanes_of(kind: type[np.floating]) -> int:
    """Columns of a strip: 64 of 32 bits, 32 of 64."""
    return LEAST_BYTES // np.dtype(kind).itemsize


@inlined
def _is_double(roll: int) -> bool:
    return roll == 0 or roll == 2 or roll == 5 or roll == 9 or roll == 14 or roll == 20


@jit
def sum_least(
    offsets: np.ndarray,
    plays: np.ndarray,
    numbers: tuple[int, int],
    strip: np.ndarray,
    totals: np.ndarray,
    once: float,
) -> None:
    """totals[i] = sum over the 36 rolls of number numbers[0] + i of the least row among its plays.

    offsets, plays: of all positions, see `list_plays`, the plays as rows of the strip. strip:
    real[any, lanes]. totals: real[numbers, lanes]. once: 1 in that kind, the weight of a double.
    """
    lanes = strip.shape[1]
    flat, flat_totals = strip.reshape(-1), totals.reshape(-1)
    for number in range(numbers[0], numbers[1]):
        at = (number - numbers[0]) * lanes
        for c in range(at, at + lanes):
            flat_totals[c] = 0.0
        for roll in range(ROLLS):
            place = number * ROLLS + roll
            weight = once if _is_double(roll) else once + once
            add_least(flat, lanes, plays, offsets[place], offsets[place + 1], weight, flat_totals, at)
