"""One trial: a game played from a root position to its end.

A turn is cube phase, roll, choose, apply, stop test. Results are from the view of the root's player on
roll (seat 0).
"""

from typing import NamedTuple

import numpy as np

from bgsim.kernels._jit import inlined, jit
from bgsim.kernels.bits import OUTSIDE, ZERO
from bgsim.kernels.board import (
    blocked_points,
    checkers_left,
    copy_board,
    copy_turned,
    has_borne_off,
    is_over,
    occupied,
    pip_count,
    won_by,
)
from bgsim.kernels.certain import CERTAIN
from bgsim.kernels.dice import PLAY, below, block, dice_of, stratified_number
from bgsim.kernels.net import Evaluator, has_contact
from bgsim.kernels.plays import list_results
from bgsim.kernels.policy import Player, choose
from bgsim.kernels.tables import UNKNOWN, look_up

WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE, LOSE_GAMMON, LOSE_BACKGAMMON = range(6)
TRUNCATED = 6  # neither side won: the trial ran into the limit of plies and scores 0
OUTCOMES = 7
IN_TABLE = 7  # the trial ended in a table, with probabilities instead of an outcome

NEVER, WHERE_EXACT, AT_BEAROFF = range(3)  # where a trial ends in a table

CENTRED = -1  # cube owner: nobody, else the seat (0 the root's player on roll, 1 the other)


class Settings(NamedTuple):
    """What a rollout plays by; the same for every root and trial of a task."""

    seed: np.uint64
    player: Player  # at seat 0
    opponent: Player  # at seat 1
    stratified: bool
    max_plies: int
    settle: bool = False  # trials end when their outcome is certain
    truncate: int = NEVER


class Roots(NamedTuple):
    """Root positions, one row each; the player on roll is seat 0."""

    boards: np.ndarray  # uint64[n, 4]
    dice: np.ndarray  # int64[n, 2]; 0, 0 when the first roll is still to come
    opening: np.ndarray  # bool[n]; the first roll is one of the 15 non-doubles
    streams: np.ndarray  # uint64[n]; names the dice: roots that share a stream share their dice
    swapped: np.ndarray  # bool[n]; the players have changed seats


class Workspace(NamedTuple):
    """What one thread plays with: its evaluator, and preallocated scratch."""

    evaluator: Evaluator
    board: np.ndarray  # uint64[4]
    results: np.ndarray  # uint64[MAX_RESULTS, 4]
    scores: np.ndarray  # int64[MAX_RESULTS]
    turned: np.ndarray  # uint64[1, 4], a board as the other player sees it
    chances: np.ndarray  # int64[1, 5], W, WG, WBG, LG, LBG of seat 0 where a trial ended in a table
    permutation: np.ndarray  # int64[36]
    outcome_values: np.ndarray  # int64[6], in 2^-32 points
    values: np.ndarray  # int64[roots that share dice, VALUES of `rollout`]


@jit
def cube_phase(
    settings: Settings, board: np.ndarray, seat: int, cube: int, owner: int
) -> tuple[int, int, bool]:
    """Cube value, cube owner and whether a double was passed, before the seat on roll rolls.

    Cubeless play leaves the cube alone.
    """
    return cube, owner, False


@jit
def stop_test(settings: Settings, board: np.ndarray, ply: int) -> bool:
    """True when the trial ends here, unfinished, before this ply is rolled."""
    return ply >= settings.max_plies


@jit
def finished_outcome(board: np.ndarray) -> int:
    """Outcome, for the player on roll, of a position in which one side has already borne off everything."""
    if occupied(board[0], board[1]) == ZERO:
        return won_by(board[2], board[3])
    return LOSE + won_by(board[0], board[1])


@jit
def roll_dice(
    settings: Settings,
    roots: Roots,
    root: int,
    trial: int,
    ply: int,
    word: np.uint64,
    permutation: np.ndarray,
) -> tuple[int, int]:
    """The roll of a ply: given by the root, stratified over the first two rolls, else from the word."""
    given = roots.dice[root, 0] > 0
    if ply == 0 and given:
        return roots.dice[root, 0], roots.dice[root, 1]
    rolled = ply - 1 if given else ply  # rolls made before this one
    opening = roots.opening[root] and not given
    if settings.stratified and rolled < 2:
        number = stratified_number(
            settings.seed, roots.streams[root], trial, rolled == 1, opening, permutation
        )
    else:
        number = below(word, 30 if opening and rolled == 0 else 36)
    return dice_of(number, opening and rolled == 0)


@inlined
def _most_rolls(checkers: np.int64, pips: np.int64) -> np.int64:
    """Most rolls that a side at home can need, whatever it rolls and plays."""
    return (pips - checkers + 2 * (1 - checkers % 2)) // 3 + (checkers + 1) // 2


@inlined
def _fewest_rolls(checkers: np.int64, pips: np.int64) -> np.int64:
    """No side can bear off in fewer rolls."""
    return max((checkers + 3) // 4, (pips + 23) // 24)


@jit
def certain_outcome(board: np.ndarray) -> int:
    """Outcome, for the player on roll, of a position without contact if no roll and no play can change it.

    -1 where it is open, or might be. The loser must have borne off, or not get to roll any more.
    """
    mine, theirs = occupied(board[0], board[1]), occupied(board[2], board[3])
    checkers, pips = checkers_left(board[0], board[1]), pip_count(board[0], board[1])
    far_checkers, far_pips = checkers_left(board[2], board[3]), pip_count(board[2], board[3])
    if (mine & OUTSIDE) == ZERO:
        rolls = _most_rolls(checkers, pips)
        if rolls == 1:
            return won_by(board[2], board[3])
        if has_borne_off(board[2], board[3]) and rolls <= _fewest_rolls(far_checkers, far_pips):
            return WIN
    if (theirs & OUTSIDE) != ZERO or not has_borne_off(board[0], board[1]):
        return -1
    return LOSE if _most_rolls(far_checkers, far_pips) < _fewest_rolls(checkers, pips) else -1


@jit
def ended_in_table(settings: Settings, board: np.ndarray, seat: int, work: Workspace) -> bool:
    """Whether a table says what becomes of the player on roll; writes the chances of seat 0 if so."""
    if settings.truncate == NEVER:
        return False
    copy_turned(board, work.turned[0])
    approximate = settings.truncate == AT_BEAROFF
    if look_up(work.evaluator.tables, work.turned, 0, approximate, work.chances, 0) == UNKNOWN:
        return False
    if seat == 0:  # the chances are those of the other, who has moved last
        chances = work.chances[0]
        chances[0] = CERTAIN - chances[0]
        chances[1], chances[3] = chances[3], chances[1]
        chances[2], chances[4] = chances[4], chances[2]
    return True


@jit
def play_out(
    settings: Settings, roots: Roots, root: int, trial: int, work: Workspace
) -> tuple[int, int, int, bool]:
    """Play one trial; returns outcome (for seat 0), plies (rolls), cube value, whether it was settled."""
    board, results = work.board, work.results
    copy_board(roots.boards[root], board)
    if is_over(board):
        return finished_outcome(board), 0, 1, False
    cube, owner, seat, ply = 1, CENTRED, 0, 0
    while not stop_test(settings, board, ply):
        if ply > 0 or roots.dice[root, 0] == 0:
            cube, owner, passed = cube_phase(settings, board, seat, cube, owner)
            if passed:
                return WIN if seat == 0 else LOSE, ply, cube, False
            if not has_contact(board[0], board[1], board[2], board[3]):
                outcome = certain_outcome(board) if settings.settle else -1
                if outcome >= 0:
                    return outcome if seat == 0 else (outcome + LOSE) % 6, ply, cube, True
                if ended_in_table(settings, board, seat, work):
                    return IN_TABLE, ply, cube, False
        words = block(settings.seed, roots.streams[root], np.uint64(trial), np.uint64(ply), PLAY)
        die1, die2 = roll_dice(settings, roots, root, trial, ply, words[0], work.permutation)
        blocked = blocked_points(board[2], board[3])
        n = list_results(board, np.uint64(die1), np.uint64(die2), blocked, results)
        ply += 1
        if n > 0:
            player = settings.player if (seat == 1) == roots.swapped[root] else settings.opponent
            row = choose(
                player, board, results, n, work.outcome_values, words[1], work.evaluator, work.scores
            )
            copy_board(results[row], board)
            if occupied(board[0], board[1]) == ZERO:
                return won_by(board[2], board[3]) + (0 if seat == 0 else LOSE), ply, cube, False
        copy_turned(board, board)
        seat = 1 - seat
    return TRUNCATED, ply, cube, False
