"""Positions to board rows and back."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given

from bgsim.core.position import Position
from bgsim.engine.boards import pack, unpack
from tests.core.positions import positions

ONE_EACH = Position.from_points({1: 1}, {1: 1})


@given(positions())
@example(Position.from_points({25: 15}, {25: 15}))
@example(Position.from_points({}, {24: 15}))
def test_unpack_undoes_pack(position):
    rows = pack([position])
    assert (rows.dtype, rows.shape) == (np.uint64, (1, 4))
    assert unpack(rows[0]) == position


@given(positions(3))
def test_hypergammon_sides_too(position):
    assert unpack(pack([position])[0]) == position


@given(positions())
def test_passing_the_turn_swaps_the_halves(position):
    here, there = pack([position, position.swapped()])
    assert np.array_equal(here[[2, 3, 0, 1]], there)


def test_words_of_one_checker_each_by_hand():
    """14 = 1110 in binary on index 0 and 1 checker on index 1, so plane 0 = 2, planes 1, 2 and 3 = 1."""
    low, high = 2 + (1 << 32), 1 + (1 << 32)
    assert pack([ONE_EACH]).tolist() == [[low, high, low, high]]


def test_no_positions_make_no_rows():
    assert pack([]).shape == (0, 4)


def test_rows_keep_the_order():
    several = [ONE_EACH, Position.from_points({6: 5}, {25: 2}), ONE_EACH]
    assert [unpack(row) for row in pack(several)] == several
