"""bgsim against the slow rule book, on positions reached by play and on constructed ones."""

from __future__ import annotations

import multiprocessing
import os
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

import pytest

from bgsim.core.outcome import OUTCOME_POINTS, finished_outcome
from bgsim.engine.plays import legal_plays
from tests.cases import as_position, follow, result_set
from tests.oracle import (
    ALL_ROLLS,
    KINDS,
    Board,
    constructed_positions,
    finished,
    from_gnubg_id,
    gnubg_id,
    pips,
    play_random_game,
    played_positions,
    results,
    sequences,
)

pytestmark = pytest.mark.slow

LONG_CHUNKS = 200
CHUNK_PLAYED, CHUNK_CONSTRUCTED = 250, 250  # 200 x 500 = 100,000 positions


def positions(seed: int, played: int, constructed: int) -> Iterator[Board]:
    """A fixed list for each seed; of played positions one in four, since neighbours are alike."""
    yield from islice(played_positions(random.Random(f"played {seed}"), every=4), played)
    yield from islice(constructed_positions(random.Random(f"built {seed}")), constructed)


def disagreements(boards: Iterator[Board]) -> list[str]:
    """What bgsim and the oracle see differently, over all 21 rolls."""
    found = []
    for board in boards:
        for roll in ALL_ROLLS:
            ours, right = result_set(board, roll), results(*board, roll)
            if ours != right:
                extra = sorted(gnubg_id(*after) for after in ours - right)
                missing = sorted(gnubg_id(*after) for after in right - ours)
                found.append(f"{gnubg_id(*board)} {roll} extra {extra} missing {missing}")
    return found


def disagreements_of_chunk(seed: int) -> list[str]:
    """One unit of the long test, run in a process of its own."""
    return disagreements(positions(seed, CHUNK_PLAYED, CHUNK_CONSTRUCTED))


def test_results_of_played_positions():
    assert disagreements(positions(1, 150, 0)) == []


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=[kind.__name__[1:] for kind in KINDS])
def test_results_of_constructed_positions(kind):
    boards = constructed_positions(random.Random(2))
    assert disagreements(islice(boards, kind, 25 * len(KINDS), len(KINDS))) == []


@pytest.mark.long
def test_results_of_a_hundred_thousand_positions():
    """2.1 million rolls, half the positions played and half constructed.

    Expected time: 45 CPU minutes, most of them for writing out the moves of 40 million plays (the
    oracle takes 7); 20 to 25 minutes on two cores.
    """
    wrong: list[str] = []
    # spawn: a fork of a process whose threads hold locks may hang
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        for found in pool.map(disagreements_of_chunk, range(1000, 1000 + LONG_CHUNKS)):
            wrong += found
            assert len(wrong) < 10, wrong
    assert wrong == []


# --- the moves and the text of a play -------------------------------------------------------------


def steps(sequence):
    """The checker moves of a sequence without their order and dice."""
    return sorted((step.source, step.target, step.hit) for step in sequence)


def faults_of_plays(board: Board, roll: tuple[int, int]) -> list[str]:
    """Plays whose moves are no legal turn, or whose moves or text lead somewhere else."""
    legal = sequences(*board, roll)
    turns = [steps(sequence) for sequence in legal]
    found = []
    for play in legal_plays(as_position(board), roll):
        after = (play.after.on_roll, play.after.opponent)
        moves = sorted((move.source, move.target, move.hit) for move in play.moves)
        # once the last checker is off, a die that was not needed may be missing: 6/off for 6/5/off
        if moves not in turns and not play.after.is_over:
            found.append(f"{gnubg_id(*board)} {roll}: {play} moves {moves}")
        if follow(board, str(play)) != after:
            found.append(f"{gnubg_id(*board)} {roll}: {play} does not lead to {gnubg_id(*after)}")
    return found


@pytest.mark.parametrize("double", [False, True], ids=["mixed", "doubles"])
def test_moves_and_text_of_plays(double):
    """Fewer positions for doubles: the oracle walks every path of four dice."""
    each = 15 if double else 75
    rolls = [roll for roll in ALL_ROLLS if (roll[0] == roll[1]) == double]
    found = [
        fault
        for board in positions(3, each, each)
        for roll in rolls
        for fault in faults_of_plays(board, roll)
    ]
    assert found == []


def test_moves_are_in_an_order_that_can_be_played():
    for board in positions(4, 40, 40):
        for roll in ALL_ROLLS:
            for play in legal_plays(as_position(board), roll):
                reached = board
                for move in play.moves:
                    source = "bar" if move.source == 25 else move.source
                    target = "off" if move.target == 0 else move.target
                    reached = follow(reached, f"{source}/{target}{'*' if move.hit else ''}")
                assert reached == (play.after.on_roll, play.after.opponent)


# --- the oracle itself ----------------------------------------------------------------------------


def test_the_two_ways_of_the_oracle_agree():
    """Its sets of positions against its lists of checker moves, walked without any merging."""
    for board in positions(5, 20, 20):
        for roll in ALL_ROLLS:
            paths = sequences(*board, roll)
            reached = set()
            for path in paths:
                after = board
                for step in path:
                    star = "*" if step.hit else ""
                    source = "bar" if step.source == 25 else step.source
                    after = follow(after, f"{source}/{step.target or 'off'}{star}")
                reached.add(after)
            assert reached == results(*board, roll)


def test_constructed_positions_are_positions():
    for board in islice(constructed_positions(random.Random(6)), 2_000):
        position = as_position(board)  # refuses what is no position
        assert not position.is_over
        assert from_gnubg_id(gnubg_id(*board), sum(board[0])) == board


# --- ids, pip counts and results of games ---------------------------------------------------------


def test_ids_and_pip_counts():
    for board in positions(7, 300, 300):
        position = as_position(board)
        assert position.gnubg_id == gnubg_id(*board)
        assert position.pips == (pips(board[0]), pips(board[1]))


def test_outcomes_of_finished_games():
    """Random games to their end: who won, and single, gammon or backgammon."""
    seen = set()
    for seed in range(150):
        *_, last = play_random_game(random.Random(seed))
        for roll in ALL_ROLLS:
            for board in results(*last, roll):
                result = finished(*board)
                assert as_position(board).is_over == (result is not None)
                if result is None:
                    continue
                winner, points = result
                signed = points if winner == "mover" else -points
                assert OUTCOME_POINTS[finished_outcome(as_position(board))] == signed
                assert OUTCOME_POINTS[finished_outcome(as_position(board).swapped())] == -signed
                seen.add(points)
    assert seen == {1, 2, 3}
