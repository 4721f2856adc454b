"""Counts of distinct results from the start, and the same walks done by hand."""

from __future__ import annotations

import pytest

from bgsim.engine.plays import count_results, legal_plays, perft
from tests.cases import as_position
from tests.oracle import ALL_ROLLS, START, count, results, side

# Source: own brute force of the reference notes; the 190 and 127,874 also from a second program.
RESULTS_OF_EACH_ROLL = {
    (1, 1): 42, (2, 1): 15, (2, 2): 75, (3, 1): 16, (3, 2): 17, (3, 3): 73, (4, 1): 14,
    (4, 2): 18, (4, 3): 17, (4, 4): 52, (5, 1): 8, (5, 2): 8, (5, 3): 9, (5, 4): 9,
    (5, 5): 4, (6, 1): 10, (6, 2): 14, (6, 3): 14, (6, 4): 14, (6, 5): 7, (6, 6): 11,
}  # fmt: skip

MIXED = tuple(roll for roll in ALL_ROLLS if roll[0] != roll[1])


def ordered(roll):
    """How many of the 36 ordered rolls this is: 2, or 1 for a double."""
    return 1 if roll[0] == roll[1] else 2


def replies(first_rolls, weight_of_reply, weight_of_first=lambda roll: 1):
    """Results of depth 2 from the start, a lost turn counting one, with a weight for each roll."""
    total = 0
    for first in first_rolls:
        for play in legal_plays(as_position(START), first):
            opponent = play.after.swapped()
            for reply in ALL_ROLLS:
                found = max(1, count_results(opponent, reply))
                total += weight_of_first(first) * weight_of_reply(reply) * found
    return total


@pytest.mark.parametrize("roll", ALL_ROLLS)
def test_results_of_each_opening_roll(roll):
    assert count_results(as_position(START), roll) == RESULTS_OF_EACH_ROLL[roll]
    assert len(legal_plays(as_position(START), roll)) == RESULTS_OF_EACH_ROLL[roll]


@pytest.mark.parametrize(
    ("depth", "total"), [(1, 447), (2, 202_782), pytest.param(3, 116_154_993, marks=pytest.mark.slow)]
)
def test_perft_from_the_start(depth, total):
    assert perft(as_position(START), depth) == total


def test_opening_rolls_have_190_results():
    assert sum(count_results(as_position(START), roll) for roll in MIXED) == 190


def test_ordered_opening_rolls_have_637_results():
    assert sum(ordered(roll) * count_results(as_position(START), roll) for roll in ALL_ROLLS) == 637


def test_different_rolls_meet_in_406_positions():
    plays = [play for roll in ALL_ROLLS for play in legal_plays(as_position(START), roll)]
    assert len(plays) == 447
    assert len({play.after for play in plays}) == 406


def test_replies_to_the_opening_rolls_in_36_orders():
    assert replies(MIXED, ordered) == 127_874


def test_replies_to_the_opening_rolls():
    assert replies(MIXED, lambda roll: 1) == 89_153


def test_all_rolls_and_all_replies_in_36_orders():
    assert replies(ALL_ROLLS, ordered, ordered) == 419_783


def test_a_closed_out_player_has_one_result_a_roll():
    """All six points of the opponent's home board are made and a checker waits on the bar."""
    closed = (side({25: 1, 6: 14}), side({1: 3, 2: 3, 3: 3, 4: 2, 5: 2, 6: 2}))
    assert [count(*closed, roll) for roll in ALL_ROLLS] == [1] * 21
    assert perft(as_position(closed), 1) == 21
    # after 21 lost turns the opponent rolls
    replies_of_one = sum(count(closed[1], closed[0], roll) for roll in ALL_ROLLS)
    assert perft(as_position(closed), 2) == 21 * replies_of_one


@pytest.mark.parametrize(
    "board",
    [
        # hypergammon: three checkers a side
        (side({24: 1, 23: 1, 22: 1}, 3), side({24: 1, 23: 1, 22: 1}, 3)),
        # both on the bar, blots about
        (side({25: 2, 20: 1, 8: 3, 6: 5}), side({25: 1, 21: 2, 6: 2, 4: 2, 3: 1})),
        # bear-off against a checker on the bar
        (side({6: 2, 5: 2, 4: 2, 2: 1}), side({25: 1, 6: 3, 1: 2})),
    ],
)
def test_perft_two_equals_a_plain_walk(board):
    total = sum(
        count(opponent, mover, reply)
        for roll in ALL_ROLLS
        for mover, opponent in results(*board, roll) or {board}
        for reply in ALL_ROLLS
    )
    assert perft(as_position(board), 2) == total


def test_a_finished_game_goes_no_further():
    """One checker on the ace point: every roll ends the game, and no roll follows."""
    board = (side({1: 1}), side({1: 1}))
    assert perft(as_position(board), 1) == 21
    assert perft(as_position(board), 2) == 0
