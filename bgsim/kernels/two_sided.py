"""Both sides bear off: exact values by numbers of positions (see `numbering`), a pip count at a time.

V[m][o] is the value to side m, on roll against o. After m's play to m' the other is on roll; with R[m'][o]
what that is worth to him, his cube decision made, V[m] = -mean over the rolls of the least R[m'] among the
plays. So that nothing is worked out twice, when m's pip count is done only the pairs up to it are:

- forward, V[m][o]: sums over m's plays of rows R[m'], for a strip of opponents o side by side;
- turned, V[o][m]: sums over o's plays of what m's own row says, for a block of m's side by side.

Either is as many columns at once as `lanes_of` says. (In rows as long as the table every play was another
page of memory: half as fast.) R is needed 24 pips back: a ring of rows, [strips, rows, lanes].
"""

import numpy as np

from bgsim.kernels._jit import inlined, jit
from bgsim.kernels.bearoff_plays import ROLLS
from bgsim.kernels.memory import int16_at
from bgsim.kernels.vectors import LEAST_BYTES, add_least, add_least_and_other

SAME, OWNED, CENTRED, CENTRED_BEAVERS = range(
    4
)  # what a value is worth to who is on roll; see `write_replies`
TILE = 16


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
    column: int,
    scale: float,
) -> None:
    """totals[i, column:] = scale * sum over the 36 rolls of number numbers[0] + i of its plays' least row.

    offsets, plays: of all positions, see `list_plays`, the plays as rows of the strip. strip:
    real[any, lanes]. totals: real[numbers, any]. scale: of their kind.
    """
    lanes, stride = strip.shape[1], totals.shape[1]
    flat, flat_totals = strip.reshape(-1), totals.reshape(-1)
    once = scale / scale
    for number in range(numbers[0], numbers[1]):
        at = (number - numbers[0]) * stride + column
        for c in range(at, at + lanes):
            flat_totals[c] = 0.0
        for roll in range(ROLLS):
            place = number * ROLLS + roll
            weight = once if _is_double(roll) else once + once
            add_least(flat, lanes, plays, offsets[place], offsets[place + 1], weight, flat_totals, at)
        for c in range(at, at + lanes):
            flat_totals[c] *= scale


@jit
def sum_least_and_other(
    offsets: np.ndarray,
    plays: np.ndarray,
    numbers: tuple[int, int],
    strips: tuple[np.ndarray, np.ndarray],
    totals: tuple[np.ndarray, np.ndarray],
    column: int,
    scales: tuple[float, float],
) -> None:
    """As `sum_least`, and the second totals are those of the second strip after the same plays."""
    lanes, stride = strips[0].shape[1], totals[0].shape[1]
    flat, others = strips[0].reshape(-1), strips[1].reshape(-1)
    flat_totals, other_totals = totals[0].reshape(-1), totals[1].reshape(-1)
    once = scales[0] / scales[0]
    for number in range(numbers[0], numbers[1]):
        at = (number - numbers[0]) * stride + column
        for c in range(at, at + lanes):
            flat_totals[c] = 0.0
            other_totals[c] = 0.0
        for roll in range(ROLLS):
            place = number * ROLLS + roll
            weight = once if _is_double(roll) else once + once
            start, end = offsets[place], offsets[place + 1]
            add_least_and_other(flat, others, lanes, plays, start, end, weight, flat_totals, other_totals, at)
        for c in range(at, at + lanes):
            flat_totals[c] *= scales[0]
            other_totals[c] *= scales[1]


@inlined
def _doubled(take: float, beavers: bool) -> float:
    """What a double is worth if a take is worth so much a unit of the cube: he takes, passes or beavers."""
    return min((4 if beavers and take < 0 else 2) * take, 1.0)


@jit
def write_replies(
    mode: int, values: tuple[np.ndarray, np.ndarray], take: np.ndarray, replies: tuple[np.ndarray, np.ndarray]
) -> None:
    """What pairs are worth to the side on roll before he doubles or not: R of their values, real[any, any].

    OWNED: values[0] is with the cube his own, values[1] with the other's; to the one who has not the cube
    it is the value without a double, to the one who has it the better of both. CENTRED: either may double;
    take: with the other's cube.
    """
    first, second = values[0].reshape(-1), values[1].reshape(-1)
    to_first, to_second, doubled = replies[0].reshape(-1), replies[1].reshape(-1), take.reshape(-1)
    beavers = mode == CENTRED_BEAVERS
    if mode == OWNED:
        for i in range(first.shape[0]):
            to_second[i] = max(first[i], _doubled(second[i], False))
            to_first[i] = second[i]
    else:
        for i in range(first.shape[0]):
            value = _doubled(doubled[i], beavers)
            to_second[i] = max(second[i], value)
            to_first[i] = max(first[i], value)


@jit
def write_block(replies: np.ndarray, rows: tuple[int, int], block: np.ndarray) -> None:
    """block[o, lane] = replies[rows[0] + lane, o], in tiles for the cache."""
    for tile in range(0, block.shape[0], TILE):
        for row in range(rows[0], rows[1]):
            for o in range(tile, min(tile + TILE, block.shape[0])):
                block[o, row - rows[0]] = replies[row, o]


@jit
def turn_block(block: np.ndarray, rows: tuple[int, int], turned: np.ndarray) -> None:
    """turned[rows[0] + lane, o] = block[o, lane]."""
    for tile in range(0, block.shape[0], TILE):
        for row in range(rows[0], rows[1]):
            for o in range(tile, min(tile + TILE, block.shape[0])):
                turned[row, o] = block[o, row - rows[0]]


@jit
def write_ring_rows(
    replies: np.ndarray, numbers: tuple[int, int], strip_number: int, strip: np.ndarray
) -> None:
    """Write R[m'][o] of new rows m' and a strip's opponents up to them, from turned replies [m', o]."""
    lanes = strip.shape[1]
    at = strip_number * lanes
    for number in range(numbers[0], numbers[1]):
        for o in range(at, min(at + lanes, numbers[1])):
            strip[number % strip.shape[0], o - at] = replies[number - numbers[0], o]


@jit
def write_ring_columns(
    replies: np.ndarray, numbers: tuple[int, int], rows: tuple[int, int], ring: np.ndarray
) -> None:
    """Write R[m'][o] of earlier rows m' and new opponents o, from forward replies [o, m']."""
    lanes, length = ring.shape[2], ring.shape[1]
    for tile in range(rows[0], rows[1], TILE):
        for number in range(numbers[0], numbers[1]):
            strip, lane, place = ring[number // lanes], number % lanes, tile % length
            for row in range(tile, min(tile + TILE, rows[1])):
                strip[place, lane] = replies[number - numbers[0], row]
                place = place + 1 if place + 1 < length else 0


@jit
def write_stored(
    values: np.ndarray, full: np.ndarray, start: int, units: tuple[float, float], stored: np.ndarray
) -> None:
    """Values (real[rows, any]) as int16[rows, columns] in units[0], or units[1] where a side is full.

    full: bool[positions], whether a side has all its checkers left; the rows are number start, start + 1, ...
    """
    for row in range(stored.shape[0]):
        for column in range(stored.shape[1]):
            unit = units[1] if full[start + row] or full[column] else units[0]
            stored[row, column] = np.int16(np.rint(np.float64(values[row, column]) * unit))


@jit
def read_stored(
    stored: np.ndarray, full: np.ndarray, start: int, units: tuple[float, float], values: np.ndarray
) -> None:
    """The inverse."""
    for row in range(stored.shape[0]):
        for column in range(stored.shape[1]):
            unit = units[1] if full[start + row] or full[column] else units[0]
            values[row, column] = stored[row, column] / unit


@jit
def read_pairs(
    forward: np.ndarray,
    turned: np.ndarray,
    ends: np.ndarray,
    full: np.ndarray,
    units: tuple[float, float],
    pairs: np.ndarray,
    values: np.ndarray,
) -> None:
    """Values (float64[n]) to side m on roll against o, of pairs (int64[n, 2]) of numbers.

    forward, turned: int64[positions], where in memory the int16 row of a position begins. ends:
    int64[positions], number of the first position with more pips.
    """
    for row in range(pairs.shape[0]):
        m, o = pairs[row, 0], pairs[row, 1]
        unit = units[1] if full[m] or full[o] else units[0]
        stored = int16_at(forward[m], o) if o < ends[m] else int16_at(turned[o], m)
        values[row] = stored / unit
