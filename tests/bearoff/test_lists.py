"""Where rolls of one side lead, against the rule book."""

from __future__ import annotations

import pytest

from bgsim.bearoff.lists import side_of
from bgsim.kernels.bearoff_plays import ROLLS
from tests import oracle
from tests.oracle import side

IN_ORDER = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


@pytest.mark.slow
def test_number_of_plays_of_the_full_table():
    """9,208,660 for the 54,263 positions, counted elsewhere; the empty one lists itself 21 times here."""
    side = side_of(6, 15)
    assert len(side.positions) == 54_264
    assert len(side.plays) == side.offsets[-1] == 9_208_660 + 21


@pytest.mark.parametrize(("points", "checkers"), [(6, 3), (9, 2)])
def test_plays_are_those_of_the_rule_book(points, checkers):
    found = side_of(points, checkers)
    positions, offsets, plays = found.positions, found.offsets, found.plays
    far = side({0: 14, 1: 1})
    for number, position in enumerate(positions):
        if number == 0:
            continue
        counts = {point: int(n) for point, n in enumerate(position, 1) if n}
        mine = side(counts | {0: 15 - sum(counts.values())})
        for roll, dice in enumerate(IN_ORDER):
            at, end = offsets[number * ROLLS + roll], offsets[number * ROLLS + roll + 1]
            ends = [tuple(positions[play].tolist()) for play in plays[at:end]]
            expected = {after[0][1 : points + 1] for after in oracle.results(mine, far, dice)}
            assert len(ends) == len(set(ends))
            assert set(ends) == expected
