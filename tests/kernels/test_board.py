"""The bit-planes against plain counts: every function of the board on random sides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from bgsim.core.position import Position
from bgsim.engine.boards import pack
from bgsim.kernels import bits, board
from tests import oracle
from tests.core.positions import positions
from tests.oracle import BAR, OFF, START_SIDE

# Any counts of 0 to 15 on the 26 places: more checkers than a game has, so every carry is met.
SIDES = st.lists(st.integers(0, 15), min_size=26, max_size=26).map(tuple)
INDICES = st.integers(0, 25)
POINT_SETS = st.integers(0, 2**26 - 1)
FULL = (15,) * 26
EMPTY = (0,) * 26


def words(side):
    """The two words of 26 counts, by the definition in the docstring of kernels/board.py."""
    planes = [sum((count >> k & 1) << index for index, count in enumerate(side)) for k in range(4)]
    return np.uint64(planes[0] | planes[1] << 32), np.uint64(planes[2] | planes[3] << 32)


def counts(low, high):
    """The 26 counts of two words."""
    low, high = int(low), int(high)
    planes = (low & 0xFFFFFFFF, low >> 32, high & 0xFFFFFFFF, high >> 32)
    assert all(plane < 1 << 26 for plane in planes)  # nothing spills past the bar
    return tuple(sum((plane >> index & 1) << k for k, plane in enumerate(planes)) for index in range(26))


def members(points):
    """The indices in a point set."""
    return {index for index in range(64) if int(points) >> index & 1}


def bit(index):
    return np.uint64(1 << index)


# --- sets of points -------------------------------------------------------------------------------


@given(SIDES)
@example(FULL)
@example(EMPTY)
@example(START_SIDE)
def test_sets_of_points(side):
    low, high = words(side)
    assert members(board.occupied(low, high)) == {p for p in range(1, 26) if side[p] >= 1}
    assert members(board.made(low, high)) == {p for p in range(1, 26) if side[p] >= 2}
    assert members(board.blots(low, high)) == {p for p in range(1, 25) if side[p] == 1}


@given(SIDES)
@example(FULL)
@example(EMPTY)
def test_what_the_other_side_sees(side):
    low, high = words(side)
    assert members(board.blocked_points(low, high)) == {25 - p for p in range(1, 25) if side[p] >= 2}
    assert members(board.hittable_points(low, high)) == {25 - p for p in range(1, 25) if side[p] == 1}


@given(POINT_SETS)
@example(0)
@example(2**26 - 1)
def test_turned_reverses_the_board(points):
    other = np.uint64(bits.turned(np.uint64(points)))
    assert members(other) == {25 - index for index in members(points)}
    assert bits.turned(other) == points


@given(st.integers(0, 2**64 - 1))
@example(0)
@example(2**64 - 1)
@example(1 << 63)
def test_lowest_and_highest_bit(word):
    assert members(bits.lowest(np.uint64(word))) == ({min(members(word))} if word else set())
    if word:
        assert members(bits.highest(np.uint64(word))) == {max(members(word))}


def test_named_sets_of_points():
    named = {
        bits.OFF: {OFF},
        bits.BAR: {BAR},
        bits.POINTS: set(range(1, 25)),
        bits.HOME: set(range(1, 7)),
        bits.OUTSIDE: set(range(7, 26)),
        bits.IN_PLAY: set(range(1, 26)),
        bits.FAR_HOME: set(range(19, 26)),
    }
    assert {points: members(points) for points in named} == named


# --- counting -------------------------------------------------------------------------------------


@given(SIDES)
@example(FULL)
@example(EMPTY)
def test_counts_and_pips(side):
    low, high = words(side)
    assert tuple(board.count_on(low, high, np.uint64(index)) for index in range(26)) == side
    assert board.pip_count(low, high) == oracle.pips(side)


def test_pip_count_of_known_sides():
    assert board.pip_count(*words(START_SIDE)) == 167
    assert board.pip_count(*words(oracle.side({BAR: 15}))) == 375
    assert board.pip_count(*words(oracle.side({}))) == 0
    assert board.pip_count(*words(FULL)) == 15 * 25 * 26 // 2


# --- moving checkers ------------------------------------------------------------------------------


@given(SIDES, INDICES)
def test_remove_and_add(side, index):
    low, high = words(side)
    if side[index] > 0:
        fewer = (*side[:index], side[index] - 1, *side[index + 1 :])
        assert counts(*board.remove(low, high, bit(index))) == fewer
    if side[index] < 15:
        more = (*side[:index], side[index] + 1, *side[index + 1 :])
        assert counts(*board.add(low, high, bit(index))) == more


@pytest.mark.parametrize("index", range(26))
def test_every_count_of_every_place(index):
    """Up to 15 and down again, next to full neighbours: all carries and borrows, none leaks."""
    side = tuple(0 if place == index else 15 for place in range(26))
    low, high = words(side)
    for number in range(1, 16):
        low, high = map(np.uint64, board.add(low, high, bit(index)))
        assert counts(low, high) == (*side[:index], number, *side[index + 1 :])
    for number in range(14, -1, -1):
        low, high = map(np.uint64, board.remove(low, high, bit(index)))
        assert counts(low, high) == (*side[:index], number, *side[index + 1 :])


@given(positions(), st.integers(1, 6))
@example(Position.from_points({3: 2, 5: 1}, {24: 2}), 6)  # past the ace point is off
@example(Position.from_points({25: 2}, {24: 2}), 6)
@example(Position.from_points({7: 1}, {19: 1}), 1)  # a hit
def test_step_against_the_oracle(position, die):
    """A checker move and its hit, wherever the target is open: whether it is legal is for others to ask."""
    own, far = position.on_roll, position.opponent
    row = pack([position])[0]
    blots = np.uint64(board.hittable_points(row[2], row[3]))
    for source in range(1, 26):
        target = max(source - die, OFF)
        if own[source] and (target == OFF or far[25 - target] < 2):
            low, high, far_low, far_high, left = board.step(*row, blots, bit(source), np.uint64(die))
            after = counts(low, high), counts(far_low, far_high)
            assert after == oracle.moved(own, far, source, target)
            assert members(left) == {25 - p for p in range(1, 25) if far[p] == 1} - {target}


@given(positions(), st.integers(1, 6))
@example(Position.from_points({4: 2, 2: 1}, {24: 2}), 6)  # the highest goes off
@example(Position.from_points({4: 2, 2: 1}, {24: 2}), 3)  # a higher one stands: nothing off
@example(Position.from_points({4: 2, 7: 1}, {24: 2}), 4)  # one is outside
@example(Position.from_points({4: 2, 25: 1}, {24: 2}), 1)  # the bar is closed
def test_movable_sources_against_the_oracle(position, die):
    """P3, P5, P7."""
    assume(not position.is_over)
    own, far = position.on_roll, position.opponent
    expected = {p for p in range(1, 26) if own[p] and oracle.target_of(own, far, p, die) is not None}
    row = pack([position])[0]
    landing = bits.POINTS & ~np.uint64(board.blocked_points(row[2], row[3]))
    on = np.uint64(board.occupied(row[0], row[1]))
    assert members(board.movable(on, np.uint64(die), landing)) == expected


@given(positions())
@example(Position.from_points({}, {6: 5}))
@example(Position.from_points({6: 5}, {}))
def test_is_over(position):
    over = not sum(position.on_roll[1:]) or not sum(position.opponent[1:])
    assert board.is_over(pack([position])[0]) == over


def test_no_list_of_results_can_be_longer_than_the_buffer():
    """A list holds results of one number of dice only.

    A double: multisets of four among 25 sources, C(28, 4). A mixed roll: two orders of 25 x 25.
    """
    assert 28 * 27 * 26 * 25 // 24 == 20_475 == board.MAX_RESULTS
    assert board.MAX_RESULTS > 2 * 25 * 25
