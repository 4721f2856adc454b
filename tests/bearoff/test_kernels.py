"""Where rolls of one side lead, and values of two sides, against the rule book and a plain recursion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from bgsim.kernels.bearoff_plays import MOST_ENDS, ROLLS, list_moves, list_plays
from bgsim.kernels.numbering import firsts_of, ways_of, write_positions
from bgsim.kernels.two_sided import lanes_of, sum_least
from tests import oracle
from tests.oracle import side

IN_ORDER = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


@cache
def lists(points, checkers):
    """Positions, and where each of their 21 rolls leads: offsets and numbers."""
    ways = ways_of(points, checkers)
    firsts = firsts_of(ways)
    n = int(firsts[-1])
    positions, moves = np.zeros((n, points), np.uint8), np.zeros((n, 6, points), np.int32)
    write_positions(ways, firsts, 0, positions)
    list_moves(ways, firsts, positions, moves)
    offsets, queues = np.zeros(n * ROLLS + 1, np.int64), np.zeros((3, MOST_ENDS), np.int32)
    nothing = np.zeros(0, np.int32)
    total = list_plays(moves, 0, n, offsets, nothing, np.full(n, -1, np.int64), queues)
    plays = np.zeros(total, np.int32)
    assert list_plays(moves, 0, n, offsets, plays, np.full(n, -1, np.int64), queues) == total
    return positions, firsts, offsets, plays


def test_number_of_plays_of_the_full_table():
    """9,208,660 for the 54,263 positions, counted elsewhere; the empty one lists itself 21 times here."""
    positions, _, offsets, plays = lists(6, 15)
    assert len(positions) == 54_264
    assert len(plays) == offsets[-1] == 9_208_660 + 21


@pytest.mark.parametrize(("points", "checkers"), [(6, 3), (9, 2)])
def test_plays_are_those_of_the_rule_book(points, checkers):
    positions, _, offsets, plays = lists(points, checkers)
    far = side({0: 14, 1: 1})
    for number, position in enumerate(positions):
        if number == 0:
            continue
        counts = {point: int(n) for point, n in enumerate(position, 1) if n}
        mine = side(counts | {0: 15 - sum(counts.values())})
        for roll, dice in enumerate(IN_ORDER):
            at, end = offsets[number * ROLLS + roll], offsets[number * ROLLS + roll + 1]
            found = [tuple(positions[play].tolist()) for play in plays[at:end]]
            expected = {after[0][1 : points + 1] for after in oracle.results(mine, far, dice)}
            assert len(found) == len(set(found))
            assert set(found) == expected


def cubeless(points, checkers, kind=np.float64):
    """V and R of every pair, level by level."""
    positions, firsts, offsets, plays = lists(points, checkers)
    lanes, n = lanes_of(kind), len(positions)
    strips = -(-n // lanes)
    values, replies = (np.zeros((strips, n, lanes), kind) for _ in range(2))  # strip of opponents, m, o
    replies[:, 0] = -1
    for level in range(1, len(firsts) - 1):
        for start in range(firsts[level], firsts[level + 1], lanes):
            end = min(start + lanes, int(firsts[level + 1]))
            for strip in range(strips):
                mine = values[strip, start:end]
                sum_least(offsets, plays, (start, end), replies[strip], mine, kind(1))
                mine /= -36
            block, out = np.zeros((n, lanes), kind), np.zeros((n, lanes), kind)
            block[:, : end - start] = whole(values, n)[start:end].T
            block[0] = -1
            sum_least(offsets, plays, (0, n), block, out, kind(1))
            for strip in range(strips):
                of_these = out[strip * lanes : (strip + 1) * lanes, : end - start]
                replies[strip, start:end, : len(of_these)] = of_these.T / -36
    return whole(values, n), whole(replies, n)


def whole(strips, n):
    """Rows of all opponents again: [m, o]."""
    return strips.transpose(1, 0, 2).reshape(n, -1)[:, :n]


def test_values_of_both_sides_are_the_same_values_turned():
    """R[m][o], worked out from m's row, is what o's own row says: another sum, in another order of pairs."""
    values, replies = cubeless(6, 3)
    assert replies[1:, 1:] == pytest.approx(values.T[1:, 1:], abs=1e-14)


def test_published_win_probabilities():
    """Check 5 and 7 of the project's list: 5,2 v 3,2 .671124829; 2-2 v 2-2 .799382716."""
    positions, *_ = lists(6, 2)
    number = {tuple(position): row for row, position in enumerate(positions.tolist())}
    values, _ = cubeless(6, 2)
    first = values[number[0, 1, 0, 0, 1, 0], number[0, 1, 1, 0, 0, 0]]
    second = values[number[0, 2, 0, 0, 0, 0], number[0, 2, 0, 0, 0, 0]]
    assert (first + 1) / 2 == pytest.approx(0.671124829, abs=1e-9)
    assert (second + 1) / 2 == pytest.approx(0.799382716, abs=1e-9)


@cache
def plain(mine, theirs):
    """Equity of the side on roll by the rule book's plays; counts of points 1 to 6."""
    if not any(theirs):
        return -1.0
    mover = side({point: n for point, n in enumerate(mine, 1) if n} | {0: 15 - sum(mine)})
    total = 0.0
    for high, low in IN_ORDER:
        ends = {after[0][1:7] for after in oracle.results(mover, side({0: 14, 1: 1}), (high, low))}
        best = max(1.0 if not any(end) else -plain(theirs, end) for end in ends)
        total += (1 if high == low else 2) * best
    return total / 36


@pytest.mark.slow
def test_plain_recursion_of_three_checkers_each():
    positions, *_ = lists(6, 3)
    values, _ = cubeless(6, 3)
    sides = [tuple(position) for position in positions.tolist()]
    for m in range(1, len(sides), 3):
        for o in range(1, len(sides), 5):
            assert values[m, o] == pytest.approx(plain(sides[m], sides[o]), abs=1e-13)
