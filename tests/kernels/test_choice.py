"""How nets choose: quick nets that sort out, one roll of look-ahead, ties; against plain Python."""

from __future__ import annotations

import random
from functools import cache
from itertools import islice

import numpy as np
import pytest

from bgsim.engine.policies import OUTCOME_VALUES, POINT, net_player
from bgsim.kernels.policy import LEFT_OUT, LOOKAHEAD, NET, NONE, Player, choose, score_results
from tests import oracle
from tests.kernels.plain_nets import constant_net, evaluator_of, plain_score, random_net, rows_of_boards
from tests.kernels.replay import listed
from tests.oracle import ALL_ROLLS, START, side

MONEY = tuple(OUTCOME_VALUES.tolist())
MATCH_POINT = tuple(value << 32 for value in (1, 1, 1, -1, -1, -1))
EVERYTHING = 10_000  # kept, margin in points: nothing is sorted out


@cache
def nets():
    """Contact and race net, and the same of the quick ones."""
    rng = np.random.default_rng(21)
    return tuple(random_net(rng, widths) for widths in ((128, 32), (128,), (128,), (128,)))


def quick_player(kept, margin):
    return Player(NET, 0, 1, 2, 3, kept, round(margin * POINT), 0, 0)


def ahead_player(kept, margin, quick=False):
    return Player(LOOKAHEAD, 0, 1, *((2, 3, 4, POINT) if quick else (NONE, NONE, 0, 0)), kept, margin)


@cache
def turns(number, seed=22):
    """Positions with a roll that gives a choice, and the results in the kernel's order."""
    rng, found = random.Random(seed), []
    played = islice(oracle.played_positions(rng, every=7), 4 * number)
    hard = islice(oracle.constructed_positions(rng), 4 * number)
    for board in (board for pair in zip(played, hard, strict=True) for board in pair):
        if len(found) == number:
            return found
        results = listed(board, rng.choice(ALL_ROLLS))
        if len(results) > 1:
            found.append((board, results))
    raise AssertionError("too few")


def scored(player, evaluator, board, results, values=MONEY):
    """The kernel's scores of all results."""
    scores = np.zeros(len(results), np.int64)
    before, rows = rows_of_boards([board])[0], rows_of_boards(results)
    score_results(player, before, rows, len(rows), np.array(values), evaluator, scores)
    return scores.tolist()


def chosen(player, evaluator, board, results, values=MONEY, word=0):
    """The row that the kernel chooses."""
    scores = np.zeros(len(results), np.int64)
    before, rows = rows_of_boards([board])[0], rows_of_boards(results)
    return choose(player, before, rows, len(rows), np.array(values), np.uint64(word), evaluator, scores)


# --- plain Python ---------------------------------------------------------------------------------


@cache
def plain(result, values, quick=False):
    """A result's score by the nets proper or the quick ones; kept, as many players rank the same results."""
    return plain_score(nets()[2:4] if quick else nets()[:2], result, values)


def plain_best(scores, kept, margin):
    """Rows of the best scores, best first, the earlier of equals first; margin in 2^-48 points."""
    ranked = sorted(range(len(scores)), key=lambda row: (-scores[row], row))[:kept]
    return [row for row in ranked if scores[row] >= scores[ranked[0]] - margin]


def plain_scores(player, results, values):
    """Scores without look-ahead: of rows that a quick net has sorted out, its own less LEFT_OUT."""
    rows = list(range(len(results)))
    scores = [0] * len(results)
    if player.quick_contact != NONE and len(results) > 2:
        quick = [plain(result, values, quick=True) for result in results]
        rows = plain_best(quick, player.kept, player.margin)
        scores = [score - LEFT_OUT for score in quick]
    for row in rows:
        scores[row] = plain(results[row], values)
    return scores


def plain_ahead(player, result, values):
    """Mean over the opponent's 36 rolls of what his best reply leaves; of a finished game the outcome."""
    ended = oracle.finished(*result)
    if ended is not None:
        return values[ended[1] - 1] << 16
    his = tuple(-value for value in (*values[3:], *values[:3]))
    board, total = result[::-1], 0
    for roll in ALL_ROLLS:
        replies = listed(board, roll) or [board]
        best = max(plain_scores(player, replies, his))
        total -= best if roll[0] == roll[1] else 2 * best
    return total // 36


def plain_ahead_scores(player, results, values):
    """Scores with one roll of look-ahead."""
    scores = plain_scores(player, results, values)
    rows = plain_best(scores, player.kept_ahead, player.margin_ahead)
    found = [score - LEFT_OUT for score in scores]
    for row in rows:
        found[row] = plain_ahead(player, results[row], values)
    return found


def lost_first_choices(player, evaluator, boards):
    """Of boards with their results: how often the quick nets change the choice of the nets proper."""
    alone = player._replace(quick_contact=NONE, quick_race=NONE)
    return sum(
        chosen(player, evaluator, board, results) != chosen(alone, evaluator, board, results)
        for board, results in boards
    )


# --- quick nets -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [1, 2, 5, EVERYTHING])
@pytest.mark.parametrize("margin", [0.0, 0.05, 0.5, 6.0])
def test_quick_nets_leave_the_best_within_the_margin(kept, margin):
    player = quick_player(kept, margin)
    evaluator = evaluator_of(*nets())
    for board, results in turns(12):
        assert scored(player, evaluator, board, results) == plain_scores(player, results, MONEY)


def test_quick_nets_rank_by_the_outcome_values_asked_for():
    player = quick_player(3, 0.3)
    evaluator = evaluator_of(*nets())
    for board, results in turns(12):
        expected = plain_scores(player, results, MATCH_POINT)
        assert scored(player, evaluator, board, results, MATCH_POINT) == expected


def test_results_sorted_out_rank_below_all_others():
    player, evaluator = quick_player(3, 6.0), evaluator_of(*nets())
    for board, results in turns(12):
        scores = sorted(scored(player, evaluator, board, results), reverse=True)
        if len(results) > 3:
            assert all(abs(score) <= 3 * POINT for score in scores[:3])
            assert all(abs(score + LEFT_OUT) <= 3 * POINT for score in scores[3:])


def test_margin_counts_the_result_that_lies_on_it():
    """The second of the quick nets stays with a margin of just its distance and goes with one less."""
    evaluator = evaluator_of(*nets())
    board, results = next((b, r) for b, r in turns(12) if len(r) > 4)
    quick = sorted((plain(result, MONEY, quick=True) for result in results), reverse=True)
    distance = quick[0] - quick[1]
    for margin, left in ((distance, 2), (distance - 1, 1)):
        player = quick_player(5, 0)._replace(margin=margin)
        scores = scored(player, evaluator, board, results)
        assert sum(score > -LEFT_OUT // 2 for score in scores) == left


def test_two_results_are_not_sorted_out():
    """Both are then worked out by the nets proper: the quick ones could save nothing."""
    player, evaluator = quick_player(1, 0), evaluator_of(*nets())
    board, results = next((b, r[:2]) for b, r in turns(12))
    expected = [plain(result, MONEY) for result in results]
    assert scored(player, evaluator, board, results) == expected


def test_quick_nets_that_keep_everything_lose_nothing():
    evaluator = evaluator_of(*nets())
    assert lost_first_choices(quick_player(EVERYTHING, 6.0), evaluator, turns(20)) == 0


def test_quick_nets_equal_to_the_nets_lose_nothing():
    contact, race, *_ = nets()
    evaluator = evaluator_of(contact, race, contact, race)
    assert lost_first_choices(quick_player(1, 0.0), evaluator, turns(20)) == 0


def test_share_of_first_choices_that_quick_nets_lose():
    """Counted in plain Python: the nets' best is not among the ones that the quick nets keep."""
    player, boards = quick_player(2, 0.2), turns(20)
    lost = 0
    for _, results in boards:
        alone = [plain(result, MONEY) for result in results]
        scores = plain_scores(player, results, MONEY)
        lost += alone.index(max(alone)) != scores.index(max(scores))
    assert lost_first_choices(player, evaluator_of(*nets()), boards) == lost
    assert 0 < lost < 20  # random nets, which agree on little


# --- look-ahead -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("values", [MONEY, MATCH_POINT], ids=["money", "double match point"])
def test_look_ahead_is_the_mean_over_the_best_replies(values):
    player = ahead_player(3, 2 * POINT)
    evaluator = evaluator_of(*nets())
    for board, results in turns(3):
        expected = plain_ahead_scores(player, results, values)
        assert scored(player, evaluator, board, results, values) == expected


@pytest.mark.slow
def test_replies_are_sorted_out_by_quick_nets_too():
    player = ahead_player(2, 2 * POINT, quick=True)
    evaluator = evaluator_of(*nets())
    for board, results in turns(2, seed=23):
        assert scored(player, evaluator, board, results) == plain_ahead_scores(player, results, MONEY)


def test_look_ahead_of_an_end_game():
    """Few checkers: all replies, finished games among them, in plain Python."""
    player = ahead_player(3, 6 * POINT)
    board = side({3: 1, 2: 1, 1: 1}), side({2: 1, 1: 1})
    results = listed(board, (2, 1))
    assert len(results) > 1
    expected = plain_ahead_scores(player, results, MONEY)
    assert scored(player, evaluator_of(*nets()), board, results) == expected


@pytest.mark.parametrize(("loser", "points"), [({6: 14}, 1), ({6: 15}, 2), ({20: 1, 6: 14}, 3)])
def test_look_ahead_knows_a_game_that_the_play_ends(loser, points):
    """Checkers on 2 and 1 with 2-1: both off, or 2/1/off and one is left. There is no reply to a won game."""
    board = side({2: 1, 1: 1}), side(loser)
    results = listed(board, (2, 1))
    assert len(results) == 2
    won = [oracle.finished(*result) is not None for result in results].index(True)
    for logits in ((2**25,) * 5, (-(2**25),) * 5):
        net = constant_net(logits)
        evaluator, player = evaluator_of(net, net), ahead_player(5, 6 * POINT)
        assert scored(player, evaluator, board, results)[won] == points << 48
        assert chosen(player, evaluator, board, results) == won


# --- ties, and what is not a choice ---------------------------------------------------------------


@pytest.mark.parametrize("player", [net_player(0), quick_player(4, 1.0), ahead_player(4, POINT)], ids=repr)
def test_first_of_equals_is_taken(player):
    """Nets to which every position is the same: the first result, whatever was drawn."""
    even = constant_net((0,) * 5)
    evaluator = evaluator_of(even, even, even, even)
    results = listed(START, (3, 1))
    for order in (results, results[::-1]):
        for word in (0, 2**32 - 1):
            assert chosen(player, evaluator, START, order, word=word) == 0


def test_first_of_two_equal_best_is_taken():
    evaluator, results = evaluator_of(*nets()), listed(START, (3, 1))
    scores = [plain(result, MONEY) for result in results]
    best, worst = results[scores.index(max(scores))], results[scores.index(min(scores))]
    for player in (net_player(0), quick_player(2, 6.0)._replace(quick_contact=0, quick_race=1)):
        assert chosen(player, evaluator, START, [worst, best, worst, best]) == 1


def test_only_result_is_taken_without_a_look():
    """By a player whose nets do not exist: no net is asked."""
    player = net_player(0)._replace(contact=10**6, race=10**6)
    assert chosen(player, evaluator_of(constant_net((0,) * 5)), START, listed(START, (3, 1))[:1]) == 0


def test_choice_is_the_best_score():
    evaluator = evaluator_of(*nets())
    for board, results in turns(20):
        scores = [plain(result, MONEY) for result in results]
        assert chosen(net_player(0), evaluator, board, results) == scores.index(max(scores))
