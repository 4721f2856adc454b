"""Both sides bear off: exact values by numbers of positions (see `numbering`).

V[m][o] is the value to side m, on roll against o. After m's play to m' the other is on roll; with R[m'][o] what
that is worth to him, his cube decision made, V[m] = -mean over the rolls of the least row R[m'] among the plays.
Rows are whole and contiguous, and m' is a lower number. The other half, what o on roll against m is worth, is the
same sum over o's plays of what m's own row says; it is done for a block of m's of equal pip count at once, their
rows turned so that the block lies side by side.
"""

import numpy as np

from bgsim.kernels._jit import inlined, jit
from bgsim.kernels.bearoff_plays import ROLLS

BLOCK = 32  # positions of equal pip count whose rows are turned together
TILE = 1024  # opponents worked out at once: their part of a row stays in the nearest cache


@inlined
def _is_double(roll: int) -> bool:
    return roll == 0 or roll == 2 or roll == 5 or roll == 9 or roll == 14 or roll == 20


@jit
def value_rows(
    offsets: np.ndarray,
    plays: np.ndarray,
    numbers: tuple[int, int],
    replies: np.ndarray,
    columns: tuple[int, int],
    rows: np.ndarray,
    best: np.ndarray,
) -> None:
    """Write the values of numbers[0] up to numbers[1] on roll, against opponents columns[0] up to columns[1].

    offsets, plays: of all positions, see `list_plays`. replies: real[ring, positions], R of earlier numbers, at
    their number modulo the ring. rows: real[numbers, positions]. best: real[TILE], scratch.
    """
    ring = replies.shape[0]
    for tile in range(columns[0], columns[1], TILE):
        width = min(TILE, columns[1] - tile)
        for number in range(numbers[0], numbers[1]):
            total = rows[number - numbers[0], tile : tile + width]
            for c in range(width):
                total[c] = 0.0
            for roll in range(ROLLS):
                at, end = offsets[number * ROLLS + roll], offsets[number * ROLLS + roll + 1]
                one = replies[plays[at] % ring, tile : tile + width]
                for c in range(width):
                    best[c] = one[c]
                at += 1
                while at + 1 < end:
                    one = replies[plays[at] % ring, tile : tile + width]
                    two = replies[plays[at + 1] % ring, tile : tile + width]
                    for c in range(width):
                        less = one[c] if one[c] < two[c] else two[c]
                        best[c] = less if less < best[c] else best[c]
                    at += 2
                if at < end:
                    one = replies[plays[at] % ring, tile : tile + width]
                    for c in range(width):
                        best[c] = one[c] if one[c] < best[c] else best[c]
                weight = 1.0 if _is_double(roll) else 2.0
                for c in range(width):
                    total[c] += weight * best[c]
            for c in range(width):
                total[c] /= -36.0


@jit
def turned_values(
    offsets: np.ndarray,
    plays: np.ndarray,
    block: np.ndarray,
    opponents: tuple[int, int],
    out: np.ndarray,
    best: np.ndarray,
) -> None:
    """Write what o on roll is worth against each m of a block (out: real[positions, BLOCK]), for some o's.

    offsets, plays: of all positions. block: real[positions, BLOCK], what m on roll against o' is worth, his cube
    decision made. best: real[BLOCK], scratch.
    """
    for o in range(opponents[0], opponents[1]):
        total = out[o]
        for c in range(BLOCK):
            total[c] = 0.0
        for roll in range(ROLLS):
            at, end = offsets[o * ROLLS + roll], offsets[o * ROLLS + roll + 1]
            for c in range(BLOCK):
                best[c] = block[plays[at], c]
            for k in range(at + 1, end):
                one = block[plays[k]]
                for c in range(BLOCK):
                    best[c] = one[c] if one[c] < best[c] else best[c]
            weight = 1.0 if _is_double(roll) else 2.0
            for c in range(BLOCK):
                total[c] += weight * best[c]
        for c in range(BLOCK):
            total[c] /= -36.0
