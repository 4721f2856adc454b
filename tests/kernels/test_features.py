"""The inputs of a net against their description, over counts of checkers."""

from __future__ import annotations

import random
from functools import cache
from itertools import islice

import numpy as np
import pytest

from bgsim.kernels.features import BIAS, INPUTS, WORDS
from bgsim.kernels.fitting import write_words
from tests import oracle
from tests.kernels.plain_nets import can_meet, plain_inputs, rows_of_boards
from tests.oracle import BAR, START, side


def written(boards):
    """The words of each board and whether it has contact."""
    rows = rows_of_boards(boards)
    words, contact = np.zeros((len(rows), WORDS), np.uint64), np.zeros(len(rows), np.bool_)
    write_words(rows, words, contact)
    return words, contact


def inputs_of(words):
    """Numbers of the bits that are on."""
    return {64 * w + bit for w, word in enumerate(words.tolist()) for bit in range(64) if word >> bit & 1}


def inputs(mover, opponent):
    """(word, half, index) of the inputs of two point lists, checkers that are not listed borne off."""
    found = inputs_of(written([(side(mover), side(opponent))])[0][0])
    return {(number // 64, number // 32 % 2, number % 32) for number in found}


@cache
def played(number):
    return list(islice(oracle.played_positions(random.Random(71), every=3), number))


@cache
def constructed(number):
    return list(islice(oracle.constructed_positions(random.Random(72)), number))


# --- against the plain description ----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("boards", [played, constructed])
def test_words_are_those_of_the_description(boards):
    boards = boards(2_500)
    words, _ = written(boards)
    for board, row in zip(boards, words, strict=True):
        assert inputs_of(row) == plain_inputs(board), oracle.gnubg_id(*board)


@pytest.mark.parametrize("boards", [played, constructed])
def test_words_of_some_positions(boards):
    boards = boards(300)
    words, _ = written(boards)
    assert [inputs_of(row) for row in words] == [plain_inputs(board) for board in boards]


def test_other_side_sees_the_same_with_the_halves_exchanged():
    boards = constructed(400)
    words, _ = written(boards)
    turned, _ = written([(opponent, mover) for mover, opponent in boards])
    half = np.uint64(32)
    assert np.array_equal(turned, (words >> half) | (words << half))


def test_contact_until_the_rearmost_checkers_have_passed():
    boards = [*played(500), *constructed(500)]
    _, contact = written(boards)
    assert contact.tolist() == [can_meet(board) for board in boards]
    assert 100 < contact.sum() < 900


# --- which bits there are -------------------------------------------------------------------------

HIGHEST = [25] * 7 + [15] + [25] * 3 + [24] * 6 + [22, 21, 20]  # of a half, by word


def test_no_bit_outside_the_documented_ones():
    words, _ = written([*played(500), *constructed(1_500)])
    allowed = np.array([(2 ** (high + 1) - 2) * (2**32 + 1) for high in HIGHEST], np.uint64)
    assert not (words & ~allowed).any()


def test_input_of_the_constant_is_never_on():
    words, _ = written([*played(500), *constructed(500)])
    assert BIAS == 0
    assert not (words[:, 0] & np.uint64(1)).any()
    assert (WORDS, INPUTS) == (20, 1280)


def test_every_word_is_used():
    words, _ = written([*played(500), *constructed(500)])
    assert (words != 0).any(axis=0).all()


# --- by hand --------------------------------------------------------------------------------------


def test_start_by_hand():
    """24:2 13:5 8:3 6:5 for both: the mover's 24 and 13 look at what the opponent holds.

    Enemy points in own numbers: 1, 12, 17, 19. Ahead of 24, points 18 to 23: one. Ahead of 13: 12, one.
    Ahead of 8 (2 to 7): none. Ahead of 6 (0 to 5): the point 1, one. No blot, no three points in a row.
    """
    found = inputs_of(written([START])[0][0])
    at_least = {0: (24, 13, 8, 6), 1: (24, 13, 8, 6), 2: (13, 8, 6), 3: (13, 6), 4: (13, 6)}
    ahead = {8: (24, 13, 6)}
    expected = {
        64 * word + 32 * half + point
        for word, points in (at_least | ahead).items()
        for point in points
        for half in (0, 1)
    }
    assert found == expected


def test_stack_of_fifteen_on_the_bar_by_hand():
    """15 are at least 1, 2, 3, 4, 5, 6 and 8; three enemy points ahead of the bar: digits 1 and 2."""
    found = inputs({BAR: 15}, {1: 2, 2: 2, 6: 11})
    mover = {(word, 25) for word in range(7)} | {(8, 25), (9, 25)}
    assert {(word, index) for word, half, index in found if half == 0} == mover


def test_checkers_borne_off_by_hand():
    """Twelve off: twelve bits; none off: no bit."""
    found = inputs({1: 3}, {6: 15})
    assert {(half, index) for word, half, index in found if word == 7} == {(0, n) for n in range(1, 13)}


def test_closed_board_by_hand():
    """Points 1 to 6 made: rows of three begin on 1 to 4, of four on 1 to 3, of five on 1 and 2."""
    found = inputs(dict.fromkeys(range(1, 7), 2) | {13: 3}, {BAR: 1, 6: 14})
    rows = {(word, index) for word, half, index in found if half == 0 and word >= 17}
    assert rows == {(17, 1), (17, 2), (17, 3), (17, 4), (18, 1), (18, 2), (18, 3), (19, 1), (19, 2)}
    # the bar looks at the points 24 to 19, all six of them made: binary 110
    assert {(w, i) for w, half, i in found if half == 1 and i == BAR and 8 <= w <= 10} == {(9, 25), (10, 25)}


def test_shots_at_a_blot_by_hand():
    """A blot on 13. Enemies on own 12, 10 (direct), 6, 4, 1 (indirect: 7, 9 and 12 away), 14 (behind)."""
    enemies = {25 - point: 2 for point in (12, 10, 6, 4, 1, 14)}
    found = inputs({13: 1, 20: 14}, enemies)
    at_13 = {word for word, half, index in found if half == 0 and index == 13 and 11 <= word <= 16}
    assert at_13 == {12, 14, 15}  # two: binary 10; three: binary 11


def test_enemy_on_the_bar_threatens_the_home_board():
    """He stands on own point 0: six away from the 6 point (direct), seven from the 7 point (indirect)."""
    found = inputs({6: 1, 7: 1, 13: 1, 24: 12}, {BAR: 2, 6: 13})
    shots = {(word, index) for word, half, index in found if half == 0 and 11 <= word <= 16}
    # his 13 on own 19 stand behind all three; 13 is thirteen away
    assert shots == {(11, 6), (14, 7)}


def test_two_checkers_are_no_blot_and_one_on_the_bar_is_none_either():
    found = inputs({6: 2, BAR: 1, 24: 12}, {24: 15})
    assert not {word for word, half, _ in found if half == 0 and 11 <= word <= 16}
