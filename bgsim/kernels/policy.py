"""Choosing a play: one kernel for every built-in policy."""

from typing import NamedTuple

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.board import blocked_points
from bgsim.kernels.dice import below
from bgsim.kernels.greedy import score_greedy
from bgsim.kernels.net import Evaluator, score_rows
from bgsim.kernels.plays import list_results

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
    """Scores by the player's nets, after a quick net has sorted some results out. rows: int64[n], scratch."""
    for row in range(n):
        rows[row] = row
    count = n
    if player.quick_contact != NONE and n > 2:
        score_rows(
            evaluator,
            player.quick_contact,
            player.quick_race,
            board,
            results,
            rows,
            n,
            outcome_values,
            scores,
        )
        count = _keep_best(scores, n, player.kept, player.margin, rows)
    score_rows(evaluator, player.contact, player.race, board, results, rows, count, outcome_values, scores)


@jit
def _mean_after_replies(
    player: Player, result: np.ndarray, outcome_values: np.ndarray, evaluator: Evaluator
) -> int:
    """Mean over the opponent's 21 rolls of what his best reply leaves the mover, in 2^-48 points."""
    before, replies = evaluator.before, evaluator.replies
    before[0], before[1], before[2], before[3] = result[2], result[3], result[0], result[1]
    values = evaluator.reply_values
    for outcome in range(6):
        values[outcome] = -outcome_values[(outcome + 3) % 6]
    blocked = blocked_points(before[2], before[3])
    total = 0
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            n = list_results(before, np.uint64(die1), np.uint64(die2), blocked, replies)
            if n == 0:
                replies[0] = before
                n = 1
            _score_by_net(
                player, before, replies, n, values, evaluator, evaluator.listed[1], evaluator.reply_scores
            )
            best = evaluator.reply_scores[0]
            for row in range(1, n):
                best = max(best, evaluator.reply_scores[row])
            total -= (1 if die1 == die2 else 2) * best
    return total // 36


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
    elif player.kind >= NET:
        rows = evaluator.listed[0]
        _score_by_net(player, board, results, n, outcome_values, evaluator, rows, scores)
        if player.kind == LOOKAHEAD:
            count = _keep_best(scores, n, player.kept_ahead, player.margin_ahead, rows)
            for i in range(count):
                scores[rows[i]] = _mean_after_replies(player, results[rows[i]], outcome_values, evaluator)


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
    best = 0
    for row in range(1, n):
        if scores[row] > scores[best]:
            best = row
    return best
