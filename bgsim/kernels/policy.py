"""Choosing a play: one kernel for every built-in policy."""

from typing import NamedTuple

import numpy as np

from bgsim.kernels._jit import inlined, jit
from bgsim.kernels.bits import ZERO
from bgsim.kernels.board import blocked_points, copy_board, copy_turned, occupied, won_by
from bgsim.kernels.dice import below
from bgsim.kernels.greedy import score_greedy
from bgsim.kernels.net import Evaluator, has_contact, mean_value, set_base, work_out, write_chances
from bgsim.kernels.plays import list_results
from bgsim.kernels.tables import UNKNOWN, look_up
from bgsim.kernels.vectors import OUTPUTS, ROWS_AT_ONCE

RANDOM, GREEDY, NET, LOOKAHEAD = range(4)  # kinds of players

# A result that was left out is ranked below all that were looked at: this much, in 2^-48 points.
LEFT_OUT = 64 << 48
NONE = -1  # no net


class Player(NamedTuple):
    """How one seat plays: a kind, its nets by their numbers in the evaluator, and what it looks at closely.

    A quick net, if there is one, ranks all results first; the nets proper then see only its best `kept` that
    lie within `margin` (2^-48 points) of its first. One roll of look-ahead is made for the best `kept_ahead`
    within `margin_ahead` of the nets' first.
    """

    kind: int
    contact: int
    race: int
    quick_contact: int
    quick_race: int
    kept: int
    margin: int
    kept_ahead: int
    margin_ahead: int


@jit
def _keep_best(scores: np.ndarray, n: int, kept: int, margin: int, rows: np.ndarray) -> int:
    """Write the rows of the best scores, best first, to rows, and lower all scores; returns how many.

    At most `kept`, none more than `margin` below the best; equal scores: the first listed. Every score loses
    LEFT_OUT, so that those which are not written anew rank below.
    """
    count = 0
    for place in range(min(kept, n)):
        best = -1
        for row in range(n):
            taken = False
            for earlier in range(place):
                taken |= rows[earlier] == row
            if not taken and (best < 0 or scores[row] > scores[best]):
                best = row
        if place > 0 and scores[best] < scores[rows[0]] - margin:
            break
        rows[place] = best
        count += 1
    for row in range(n):
        scores[row] -= LEFT_OUT
    return count


@jit
def _score_by_net(
    player: Player,
    board: np.ndarray,
    results: np.ndarray,
    n: int,
    outcome_values: np.ndarray,
    evaluator: Evaluator,
    rows: np.ndarray,
    scores: np.ndarray,
) -> None:
    """Scores (2^-48 points) by the player's nets, after a quick net has sorted some results out.

    A result without contact is looked up in the tables, and else worked out by the race net. The chances of
    each are left in the scratch.
    rows: int64[n], scratch.
    """
    nets, scratch = evaluator.nets, evaluator.scratch
    which = scratch.which
    for row in range(n):
        rows[row] = row
    count = n
    # One loop over both stages, not two calls: each level of calls compiles all below it once more.
    for quick in (True, False):
        if quick and (player.quick_contact == NONE or n <= 2):
            continue
        n_contact = n_race = 0
        for i in range(count):
            row = rows[i]
            contact = has_contact(results[row, 0], results[row, 1], results[row, 2], results[row, 3])
            if not contact and look_up(evaluator.tables, results, row, True, scratch.chances, row) != UNKNOWN:
                scores[row] = mean_value(scratch.chances, row, outcome_values)
            elif contact:
                which[0, n_contact] = row
                n_contact += 1
            else:
                which[1, n_race] = row
                n_race += 1
        for race in range(2):
            some_rows = n_race if race else n_contact
            if race:
                net = player.quick_race if quick else player.race
            else:
                net = player.quick_contact if quick else player.contact
            if some_rows > 0:
                set_base(nets, net, board, scratch)
            for start in range(0, some_rows, ROWS_AT_ONCE):
                together = min(ROWS_AT_ONCE, some_rows - start)
                work_out(nets, net, results, which[race], start, together, scratch)
                for i in range(together):
                    row = which[race, start + i]
                    write_chances(scratch.sums, i * OUTPUTS, results, row, race == 0, scratch.chances, row)
                    scores[row] = mean_value(scratch.chances, row, outcome_values)
        if quick:
            count = _keep_best(scores, n, player.kept, player.margin, rows)


@jit
def score_results(
    player: Player,
    board: np.ndarray,
    results: np.ndarray,
    n: int,
    outcome_values: np.ndarray,
    evaluator: Evaluator,
    scores: np.ndarray,
) -> None:
    """Write the scores of a whole list of results, higher is better for the mover.

    board: uint64[4] before the play. results: uint64[n, 4], mover's view. outcome_values: int64[6], what
    each outcome is worth to the mover under the rules, the cube and the score, in 2^-32 points.
    scores: int64[n]; those of nets in 2^-48 points, less LEFT_OUT for results that were sorted out before.
    """
    if player.kind == GREEDY:
        score_greedy(results, n, scores)
        return
    if player.kind < NET:
        return
    rows, values = evaluator.listed[0], evaluator.reply_values
    _score_by_net(player, board, results, n, outcome_values, evaluator, rows, scores)
    if player.kind != LOOKAHEAD:
        return
    for outcome in range(6):
        values[outcome] = -outcome_values[(outcome + 3) % 6]
    before, replies, reply_scores = evaluator.before, evaluator.replies, evaluator.reply_scores
    for i in range(_keep_best(scores, n, player.kept_ahead, player.margin_ahead, rows)):
        result = results[rows[i]]
        if occupied(result[0], result[1]) == ZERO:  # over: nobody replies
            scores[rows[i]] = outcome_values[won_by(result[2], result[3])] << 16
            continue
        copy_turned(result, before)
        blocked = blocked_points(before[2], before[3])
        total = 0
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                m = list_results(before, np.uint64(die1), np.uint64(die2), blocked, replies)
                if m == 0:
                    copy_board(before, replies[0])
                    m = 1
                _score_by_net(
                    player, before, replies, m, values, evaluator, evaluator.listed[1], reply_scores
                )
                best = reply_scores[0]
                for row in range(1, m):
                    best = max(best, reply_scores[row])
                total -= (1 if die1 == die2 else 2) * best
        scores[rows[i]] = total // 36


@inlined
def first_best(scores: np.ndarray, n: int) -> int:
    """Row of the best of n > 0 scores; of equal ones the first listed."""
    best = 0
    for row in range(1, n):
        if scores[row] > scores[best]:
            best = row
    return best


@jit
def choose(
    player: Player,
    board: np.ndarray,
    results: np.ndarray,
    n: int,
    outcome_values: np.ndarray,
    word: np.uint64,
    evaluator: Evaluator,
    scores: np.ndarray,
) -> int:
    """Row of the play that the player makes among n > 0 results; equal scores: the first listed.

    word: 32 random bits of this ply, used by `random` alone.
    """
    if n == 1:
        return 0
    if player.kind == RANDOM:
        return below(word, n)
    score_results(player, board, results, n, outcome_values, evaluator, scores)
    return first_best(scores, n)


@jit
def rank_all_rolls(
    player: Player,
    boards: np.ndarray,
    outcome_values: np.ndarray,
    evaluator: Evaluator,
    results: np.ndarray,
    scores: np.ndarray,
) -> int:
    """Let a player choose on all 21 rolls of n boards (uint64[n, 4]); returns how many results it ranked."""
    ranked = 0
    for i in range(boards.shape[0]):
        board = boards[i]
        blocked = blocked_points(board[2], board[3])
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                n = list_results(board, np.uint64(die1), np.uint64(die2), blocked, results)
                if n > 0:
                    choose(player, board, results, n, outcome_values, np.uint64(0), evaluator, scores)
                ranked += n
    return ranked
