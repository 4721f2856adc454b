"""Exact tables as play reads them: what they say of a position in which both sides bear off."""

from typing import NamedTuple

import numpy as np

from bgsim.kernels._jit import inlined, jit
from bgsim.kernels.bits import ZERO
from bgsim.kernels.board import count_on, has_borne_off, occupied
from bgsim.kernels.certain import CERTAIN
from bgsim.kernels.memory import int16_at

UNKNOWN, EXACT, APPROXIMATE = range(3)  # what a table knows of a position
ALL = 15  # checkers of a side that can lose a gammon
NO_ROWS = 0  # the address of a value that a table has not

EQUITY, BALANCE, GAMMONS = range(3)  # values of a two-sided table, see `bgsim.bearoff.two_sided_files`


class TwoSidedRows(NamedTuple):
    """A two-sided table; one of no checkers where there is none."""

    ways: np.ndarray  # int64, see `numbering`
    firsts: np.ndarray  # int64
    ends: np.ndarray  # int64[positions], number of the first position with more pips
    forward: np.ndarray  # int64[3, positions], addresses of the rows of each value, or NO_ROWS
    turned: np.ndarray  # int64[3, positions]
    units: np.ndarray  # float64[2], plainly and where gammons count


class OneSidedRows(NamedTuple):
    """A one-sided table; one of no checkers where there is none. Chances are of 0, 1, 2, ... rolls."""

    ways: np.ndarray
    firsts: np.ndarray
    starts: np.ndarray  # int64[positions + 1], into the chances of clearing
    chances: np.ndarray  # float32[any]
    first_starts: np.ndarray  # the same for the first of all checkers
    first_chances: np.ndarray


class Tables(NamedTuple):
    """What one thread looks up, and its scratch."""

    two_sided: TwoSidedRows
    one_sided: OneSidedRows
    counts: np.ndarray  # uint8[2, 24], checkers of both sides on the points of a table


@inlined
def _count(low: np.uint64, high: np.uint64, points: int, counts: np.ndarray) -> int:
    """Write the checkers on the last points, ace point first; returns how many are left in all, or -1.

    -1: some stand further away.
    """
    if (occupied(low, high) >> np.uint64(points + 1)) != ZERO:
        return -1
    left = 0
    for p in range(points):
        counts[p] = count_on(low, high, np.uint64(p + 1))
        left += counts[p]
    return left


@jit
def _number(ways: np.ndarray, firsts: np.ndarray, counts: np.ndarray) -> int:
    """As `numbering.number_of`."""
    points, c = ways.shape[0] - 1, ways.shape[1] - 1
    s = 0
    for p in range(points):
        s += (p + 1) * np.int64(counts[p])
    number = firsts[s]
    for p in range(points, 0, -1):
        for _ in range(counts[p - 1]):
            number += ways[p - 1, c, s]
            c -= 1
            s -= p
    return number


@inlined
def _stored(rows: TwoSidedRows, value: int, m: int, o: int, unit: float) -> float:
    """A value of the pair to m, on roll."""
    if o < rows.ends[m]:
        return int16_at(rows.forward[value, m], o) / unit
    return int16_at(rows.turned[value, o], m) / unit


@inlined
def _whole(chance: float) -> int:
    """A probability as a share of CERTAIN."""
    return np.int64(np.rint(min(max(chance, 0.0), 1.0) * CERTAIN))


@jit
def look_up(
    tables: Tables, boards: np.ndarray, row: int, approximate: bool, all_chances: np.ndarray, to: int
) -> int:
    """Write W, WG, WBG, LG, LBG (shares of CERTAIN) of the player who has just moved to all_chances[to].

    boards[row] is seen by him, both sides have checkers left, the other is on roll. Returns EXACT,
    APPROXIMATE (one-sided tables, if asked for: neither side plays for the other's position) or UNKNOWN.
    """
    low, high, far_low, far_high = boards[row, 0], boards[row, 1], boards[row, 2], boards[row, 3]
    rows, counts = tables.two_sided, tables.counts
    points, checkers = rows.ways.shape[0] - 1, rows.ways.shape[1] - 1
    if checkers > 0:
        mine = _count(low, high, points, counts[0])
        theirs = _count(far_low, far_high, points, counts[1])
        safe, far_safe = has_borne_off(low, high), has_borne_off(far_low, far_high)
        near = 0 < mine <= checkers and 0 < theirs <= checkers
        if near and (safe or mine == ALL) and (far_safe or theirs == ALL):
            o = _number(rows.ways, rows.firsts, counts[0, :points])
            m = _number(rows.ways, rows.firsts, counts[1, :points])
            unit = rows.units[0] if safe and far_safe else rows.units[1]
            equity = _stored(rows, EQUITY, m, o, unit)
            balance, gammons = equity, 0.0
            if not (safe and far_safe):
                balance = _stored(rows, BALANCE, m, o, unit)
                gammons = abs(equity - balance)
                if not (safe or far_safe):
                    gammons = _stored(rows, GAMMONS, m, o, unit)
            win = CERTAIN - _whole((1 + balance) / 2)
            all_chances[to, 0] = win
            all_chances[to, 1] = min(win, _whole((gammons - (equity - balance)) / 2))
            all_chances[to, 3] = min(CERTAIN - win, _whole((gammons + (equity - balance)) / 2))
            all_chances[to, 2] = all_chances[to, 4] = 0
            return EXACT
    alone = tables.one_sided
    points = alone.ways.shape[0] - 1
    if not approximate or alone.ways.shape[1] - 1 < ALL:
        return UNKNOWN
    mine = _count(low, high, points, counts[0])
    theirs = _count(far_low, far_high, points, counts[1])
    safe, far_safe = has_borne_off(low, high), has_borne_off(far_low, far_high)
    if mine < 1 or theirs < 1 or not ((safe or mine == ALL) and (far_safe or theirs == ALL)):
        return UNKNOWN
    o = _number(alone.ways, alone.firsts, counts[0, :points])
    m = _number(alone.ways, alone.firsts, counts[1, :points])
    _write_alone(alone, m, o, safe, far_safe, all_chances, to)
    return APPROXIMATE


@inlined
def _first_of(
    starts: np.ndarray,
    chances: np.ndarray,
    number: int,
    other_starts: np.ndarray,
    other_chances: np.ndarray,
    other: int,
    rolls: int,
) -> float:
    """Chance to be done with a roll before which the other, who has had `rolls` fewer, is not done."""
    total, done, place = 0.0, 0.0, other_starts[other]
    for k in range(starts[number + 1] - starts[number]):
        # done: chance that the other is done within k - rolls rolls
        while place < other_starts[other + 1] and place - other_starts[other] <= k - rolls:
            done += other_chances[place]
            place += 1
        total += chances[starts[number] + k] * (1.0 - done)
    return total


@jit
def _write_alone(
    alone: OneSidedRows, m: int, o: int, safe: bool, far_safe: bool, all_chances: np.ndarray, to: int
) -> None:
    """The chances of o, who has just moved, m being on roll, each alone."""
    starts, chances = alone.starts, alone.chances
    first_starts, first_chances = alone.first_starts, alone.first_chances
    win = CERTAIN - _whole(_first_of(starts, chances, m, starts, chances, o, 1))
    gammon = lose_gammon = 0
    if not far_safe:
        gammon = min(win, _whole(_first_of(starts, chances, o, first_starts, first_chances, m, 0)))
    if not safe:
        lost = _whole(_first_of(starts, chances, m, first_starts, first_chances, o, 1))
        lose_gammon = min(CERTAIN - win, lost)
    all_chances[to, 0], all_chances[to, 1], all_chances[to, 3] = win, gammon, lose_gammon
    all_chances[to, 2] = all_chances[to, 4] = 0
