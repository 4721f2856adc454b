"""Games of nets against themselves, and what training should make of their positions.

Positions are as the player who has just moved sees them, chances are his: cumulative W, WG, WBG, LG, LBG.
"""

from typing import NamedTuple

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.bits import OFF, ONE, ZERO
from bgsim.kernels.board import add, blocked_points, copy_board, copy_turned, occupied, won_by
from bgsim.kernels.certain import CERTAIN
from bgsim.kernels.dice import PLAY, START, below, block, dice_of
from bgsim.kernels.net import Evaluator, write_estimate
from bgsim.kernels.plays import list_results
from bgsim.kernels.policy import LOOKAHEAD, Player, choose, first_best, score_results

ERRATIC = np.array([10, 5, 3, 1, 0])  # tenths of turns played at random, for either seat in all pairs
MAX_GAME = 1000  # plies; a longer game is cut there and its last position left out


class Starts(NamedTuple):
    """Where games begin; game g begins at row g modulo their number."""

    boards: np.ndarray  # uint64[k, 4]
    openings: np.ndarray  # bool[k]; the first roll is one of the 15 non-doubles
    erratic_plies: np.ndarray  # int64[k]; so many plies, and fewer, are played erratically and not recorded
    races: np.ndarray  # bool[k]; a random race instead of the board


class GameScratch(NamedTuple):
    """What one thread that records games works with."""

    evaluator: Evaluator
    board: np.ndarray  # uint64[4]
    results: np.ndarray  # uint64[MAX_RESULTS, 4]
    scores: np.ndarray  # int64[MAX_RESULTS]
    outcome_values: np.ndarray  # int64[6]
    mixed: np.ndarray  # float64[5]


@jit
def write_race(seed: np.uint64, stream: np.uint64, game: int, board: np.ndarray) -> None:
    """Write a random race: a border 8 to 16 points from home, each side anywhere on its own side of it.

    One side in four has borne checkers off already; in one race of two both stand rather low.
    """
    words = block(seed, stream, np.uint64(game), np.uint64(0), START)
    border = 8 + below(words[0], 5) + below(words[1], 5)
    stand_low = (words[0] & ONE) == ZERO
    for side in range(2):
        word = words[2 + side]
        low_half = (word & np.uint64(0xFFFF)) << np.uint64(16)
        off = below(low_half, 15) if word >> np.uint64(30) == ZERO else 0
        room = border if side == 0 else 24 - border
        low, high = ZERO, ZERO
        for _ in range(off):
            low, high = add(low, high, OFF)
        for checker in range(off, 15):
            number = 1 + 15 * side + checker
            found = block(seed, stream, np.uint64(game), np.uint64(number), START)
            point = below(found[0], room)
            if stand_low:
                point = min(point, below(found[1], room))
            low, high = add(low, high, ONE << np.uint64(point + 1))
        board[2 * side], board[2 * side + 1] = low, high


@jit
def play_game(
    seed: np.uint64,
    stream: np.uint64,
    game: int,
    starts: Starts,
    player: Player,
    scratch: GameScratch,
    boards: np.ndarray,
) -> tuple[int, int]:
    """Play one game and write the position after each turn to boards (uint64[MAX_GAME, 4]).

    In the plies that are not recorded each seat plays a share of its turns at random, ERRATIC tenths.
    Returns how many positions there are and how the loser lost (0 single, 1 gammon, 2 backgammon), -1 when
    the game was cut.
    """
    board, results = scratch.board, scratch.results
    start = game % starts.boards.shape[0]
    if starts.races[start]:
        write_race(seed, stream, game, board)
    else:
        copy_board(starts.boards[start], board)
    opening = starts.openings[start]
    number = game // starts.boards.shape[0]
    skipped = number % (starts.erratic_plies[start] + 1)
    share, other_share = ERRATIC[number % len(ERRATIC)], ERRATIC[number // len(ERRATIC) % len(ERRATIC)]
    recorded = 0
    for ply in range(MAX_GAME):
        words = block(seed, stream, np.uint64(game), np.uint64(ply), PLAY)
        first = opening and ply == 0
        die1, die2 = dice_of(below(words[0], 30 if first else 36), first)
        blocked = blocked_points(board[2], board[3])
        n = list_results(board, np.uint64(die1), np.uint64(die2), blocked, results)
        if n > 0:
            if ply < skipped and below(words[2], 10) < (share if ply % 2 == 0 else other_share):
                row = below(words[1], n)
            else:
                row = choose(
                    player,
                    board,
                    results,
                    n,
                    scratch.outcome_values,
                    words[1],
                    scratch.evaluator,
                    scratch.scores,
                )
            copy_board(results[row], board)
        if ply >= skipped:
            copy_board(board, boards[recorded])
            recorded += 1
        if occupied(board[0], board[1]) == ZERO:
            return recorded, won_by(board[2], board[3])
        copy_turned(board, board)
    return recorded, -1


@jit
def _write_turned(chances: np.ndarray, whole: float, target: np.ndarray) -> None:
    """The other player's chances, as shares of whole."""
    target[0] = (whole - chances[0]) / whole
    target[1], target[2] = chances[3] / whole, chances[4] / whole
    target[3], target[4] = chances[1] / whole, chances[2] / whole


@jit
def sampled_targets(
    n: int,
    lost: int,
    player: Player,
    lasting: float,
    scratch: GameScratch,
    boards: np.ndarray,
    targets: np.ndarray,
) -> None:
    """Write targets (float32[n, 5]) of a whole game's positions: each is what its successor made of it.

    The successor's own estimate by the player's nets counts 1 - lasting, its target `lasting` (lambda of
    temporal differences); the last position's target is the outcome.
    """
    chances, mixed = scratch.evaluator.scratch.chances, scratch.mixed
    for k in range(5):
        targets[n - 1, k] = 1.0 if k <= lost else 0.0
    for t in range(n - 2, -1, -1):
        write_estimate(scratch.evaluator, player.contact, player.race, boards, t + 1)
        for k in range(5):
            mixed[k] = (1.0 - lasting) * (chances[0, k] / CERTAIN) + lasting * targets[t + 1, k]
        _write_turned(mixed, 1.0, targets[t])


@jit
def averaged_target(board: np.ndarray, player: Player, scratch: GameScratch, target: np.ndarray) -> None:
    """Write the mean chances (float32[5]) over the opponent's 21 rolls, each played as the player would."""
    evaluator, replies, scores = scratch.evaluator, scratch.results, scratch.scores
    chances, total = evaluator.scratch.chances, scratch.mixed
    if occupied(board[0], board[1]) == ZERO:
        lost = won_by(board[2], board[3])
        for k in range(5):
            target[k] = 1.0 if k <= lost else 0.0
        return
    before = scratch.board
    copy_turned(board, before)
    blocked = blocked_points(before[2], before[3])
    for k in range(5):
        total[k] = 0.0
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            n = list_results(before, np.uint64(die1), np.uint64(die2), blocked, replies)
            if n == 0:
                copy_board(before, replies[0])
                n = 1
            score_results(player, before, replies, n, scratch.outcome_values, evaluator, scores)
            row = first_best(scores, n)
            if player.kind == LOOKAHEAD:  # the chances there are those of other positions
                write_estimate(evaluator, player.contact, player.race, replies, row)
                row = 0
            for k in range(5):
                total[k] += (1 if die1 == die2 else 2) * chances[row, k]  # whole numbers, far below 2^53
    _write_turned(total, 36.0 * CERTAIN, target)


@jit
def estimate_boards(
    boards: np.ndarray, player: Player, look_ahead: bool, scratch: GameScratch, estimates: np.ndarray
) -> None:
    """Write chances (float32[n, 5]) of boards (uint64[n, 4]): the nets' own, or their mean over 21 rolls."""
    for row in range(boards.shape[0]):
        if look_ahead:
            averaged_target(boards[row], player, scratch, estimates[row])
        else:
            write_estimate(scratch.evaluator, player.contact, player.race, boards, row)
            for k in range(5):
                estimates[row, k] = scratch.evaluator.scratch.chances[0, k] / CERTAIN


@jit
def adjusted_targets(
    n: int,
    player: Player,
    lasting: float,
    scratch: GameScratch,
    boards: np.ndarray,
    targets: np.ndarray,
) -> None:
    """Write targets (float32[n, 5]) of a whole game's positions: averaged ones that remember its course.

    To the mean over the 21 rolls is added `lasting` times the difference of the actual successor's target
    from its own estimate. That difference has no luck of this roll in it, so with `lasting` 1 these are
    results of the game with all luck taken out by look-ahead; below 1 they forget by and by. They may lie
    outside of 0 to 1: cut off, they would no longer be right on average.
    """
    chances, surprise = scratch.evaluator.scratch.chances, scratch.mixed
    for t in range(n - 1, -1, -1):
        target = targets[t]
        averaged_target(boards[t], player, scratch, target)
        if t < n - 1:
            write_estimate(scratch.evaluator, player.contact, player.race, boards, t + 1)
            for k in range(5):
                surprise[k] = lasting * (targets[t + 1, k] - chances[0, k] / CERTAIN)
            target[0] -= surprise[0]
            target[1] += surprise[3]
            target[2] += surprise[4]
            target[3] += surprise[1]
            target[4] += surprise[2]


@jit
def record_games(
    seed: np.uint64,
    stream: np.uint64,
    games: tuple[int, int],
    starts: Starts,
    player: Player,
    averaged_every: int,
    lasting: float,
    scratch: GameScratch,
    boards: np.ndarray,
    targets: np.ndarray,
) -> int:
    """Record games[0] up to games[1]; returns the number of positions.

    averaged_every: 0 for all positions with sampled targets, else the step between those with averaged ones;
    1 where `lasting` is to adjust averaged targets.
    boards: uint64[rows, 4], targets: float32[rows, 5], at least MAX_GAME rows a game.
    """
    rows = 0
    for game in range(games[0], games[1]):
        n, lost = play_game(seed, stream, game, starts, player, scratch, boards[rows:])
        if averaged_every == 0:
            if lost >= 0 and n > 0:
                sampled_targets(n, lost, player, lasting, scratch, boards[rows:], targets[rows:])
                rows += n
            continue
        if lasting > 0.0:
            adjusted_targets(n, player, lasting, scratch, boards[rows:], targets[rows:])
            rows += n
            continue
        kept = rows
        for t in range(game % averaged_every, n, averaged_every):
            copy_board(boards[rows + t], boards[kept])
            averaged_target(boards[kept], player, scratch, targets[kept])
            kept += 1
        rows = kept
    return rows
