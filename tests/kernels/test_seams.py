"""The seams of the playout kernel, each with a stand-in whose effect is known beforehand.

Two kernels serve all of these tests, since each takes about 20 s to compile: the stand-ins read from the
settings (policy number, limit of plies) what they shall do.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest

from bgsim.core.position import Position
from bgsim.engine.boards import pack, unpack
from bgsim.kernels import custom
from bgsim.kernels.bits import POINTS as ALL_POINTS
from bgsim.kernels.board import MAX_RESULTS, occupied, pip_count
from bgsim.kernels.plays import list_results
from bgsim.kernels.policy import GREEDY, score_results
from bgsim.run.statistics import paired_difference
from tests import oracle
from tests.kernels import replay
from tests.kernels.kernel_runs import POINTS, VALUE, product, records, roots, settings, single_trials
from tests.kernels.replay import TRUNCATED, Start, best_of, choose_at_random
from tests.oracle import BAR, START, side

LEAD, MIDDLE, BY_VALUE = 100, 101, 102  # policies that only these tests know
STOP_AT_THREE, STOP_ON_HIT = 9_001, 9_002  # limits of plies that name a rule to stop by
PASS_AT_ONCE, PASS_BY_SEAT_1, DOUBLE_ONCE, DOUBLE_AND_PASS = 9_101, 9_102, 9_103, 9_104

UNIT = 1 << 32
BEGIN = Start(START, stream=31, seed=12)
RACE = Start((side({1: 2, 2: 2, 3: 3}), side({1: 2, 2: 2, 3: 3})), stream=32, seed=12)


# --- stand-ins ------------------------------------------------------------------------------------


@numba.njit
def scores_of_tests(player, board, results, n, outcome_values, evaluator, scores):
    """LEAD: most pips ahead. MIDDLE: the middle of the list. BY_VALUE: row 3, 9, ... (a backgammon won)."""
    if player.kind == GREEDY:
        score_results(player, board, results, n, outcome_values, evaluator, scores)
        return
    for row in range(n):
        if player.kind == LEAD:
            behind = pip_count(results[row, 2], results[row, 3])
            scores[row] = behind - pip_count(results[row, 0], results[row, 1])
        elif player.kind == MIDDLE:
            scores[row] = 1 if row == n // 2 else 0
        else:
            scores[row] = outcome_values[(n - 1 - row) % 6]


@numba.njit
def cube_of_tests(settings, board, seat, cube, owner):
    """Doubles that are taken or passed at once, whatever the position."""
    if settings.max_plies == PASS_AT_ONCE:
        return cube, owner, True
    if settings.max_plies == PASS_BY_SEAT_1 and seat == 1:
        return cube, owner, True
    if settings.max_plies == DOUBLE_ONCE and owner == -1:
        return 2 * cube, 1 - seat, False
    if settings.max_plies == DOUBLE_AND_PASS:
        if owner == -1:
            return 2 * cube, 1 - seat, False
        return cube, owner, owner == seat
    return cube, owner, False


@numba.njit
def stop_of_tests(settings, board, ply):
    """After three plies; or as soon as the player on roll has a checker on the bar."""
    if settings.max_plies == STOP_AT_THREE:
        return ply >= 3
    if settings.max_plies == STOP_ON_HIT:
        return occupied(board[0], board[1]) >> np.uint64(25) != 0
    return ply >= settings.max_plies


@numba.njit
def every_checker_blocks(far_low, far_high):
    """Points where the opponent has one checker are closed as well: nobody can be hit."""
    points = occupied(far_low, far_high) & ALL_POINTS
    turned = np.uint64(0)
    for index in range(1, 25):
        turned |= ((points >> np.uint64(index)) & np.uint64(1)) << np.uint64(25 - index)
    return turned


@numba.njit
def doubles_are_lost(board, die1, die2, blocked, out):
    """No play of a double exists; other rolls are listed as ever, with the mask that came."""
    if die1 == die2:
        return 0
    return list_results(board, die1, die2, blocked, out)


@pytest.fixture(scope="module")
def turn_kernel():
    return custom.rollout_kernel(
        score_results=scores_of_tests, cube_phase=cube_of_tests, stop_test=stop_of_tests
    )


@pytest.fixture(scope="module")
def list_kernel():
    return custom.rollout_kernel(blocked_points=every_checker_blocks, list_results=doubles_are_lost)


def test_an_unknown_seam_is_refused():
    with pytest.raises(TypeError, match="no seam is called apply"):
        custom.rollout_kernel(apply=stop_of_tests)


@pytest.mark.slow
def test_untouched_the_stand_ins_change_nothing(turn_kernel):
    """With settings that none of them knows, the kernel built anew gives the bytes of bgsim's own."""
    ours = settings("greedy", seed=12)
    segments = [(0, 0, 50), (0, 100, 20)]
    plain = records(ours, roots(BEGIN), segments)
    assert records(ours, roots(BEGIN), segments, kernel=turn_kernel).tobytes() == plain.tobytes()


# --- score_results --------------------------------------------------------------------------------


def lead(before, after):
    return oracle.pips(after[1]) - oracle.pips(after[0])


def middle(before, results, words):
    return len(results) // 2 if len(results) > 1 else 0


def by_value(before, results, words):
    values = [(1, 2, 3, -1, -2, -3)[(len(results) - 1 - row) % 6] for row in range(len(results))]
    return values.index(max(values))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "chooser"),
    [(LEAD, best_of(lead)), (MIDDLE, middle), (BY_VALUE, by_value)],
    ids=["lead", "middle", "by value"],
)
def test_scores_are_asked_for_whole_lists(turn_kernel, policy, chooser):
    """A choice that depends on the length of the list is the one made by plain Python on the same dice."""
    trials = (0, 1, 2, 2**40)
    kernel = single_trials(settings(policy, "random", seed=12), BEGIN, trials, kernel=turn_kernel)
    games = list(replay.games(BEGIN, trials, (chooser, choose_at_random)))
    assert kernel == [(game.outcome, game.plies, POINTS[game.outcome] * UNIT) for game in games]


# --- cube_phase -----------------------------------------------------------------------------------

WON, LOST = 0, 3  # outcomes of one point


def cube_games(kernel, limit, start=BEGIN):
    """(outcome, plies, value) of ten trials of random play under one of the cube rules above."""
    return single_trials(settings(max_plies=limit, seed=12), start, range(10), kernel=kernel)


@pytest.mark.slow
def test_a_double_passed_before_the_first_roll(turn_kernel):
    assert cube_games(turn_kernel, PASS_AT_ONCE) == [(WON, 0, UNIT)] * 10


@pytest.mark.slow
def test_no_cube_before_a_roll_that_is_given(turn_kernel):
    """The dice lie on the table: the first cube is that of the other seat, after one ply."""
    given = Start(START, stream=31, seed=12, roll=(3, 1))
    assert cube_games(turn_kernel, PASS_AT_ONCE, given) == [(LOST, 1, -UNIT)] * 10


@pytest.mark.slow
def test_a_double_of_the_other_seat_is_passed(turn_kernel):
    assert cube_games(turn_kernel, PASS_BY_SEAT_1) == [(LOST, 1, -UNIT)] * 10


@pytest.mark.slow
def test_a_double_that_is_taken_doubles_every_value(turn_kernel):
    plain = cube_games(turn_kernel, 10_000)
    doubled = [(outcome, plies, 2 * value) for outcome, plies, value in plain]
    assert cube_games(turn_kernel, DOUBLE_ONCE) == doubled
    (record,) = records(
        settings(max_plies=DOUBLE_ONCE, seed=12), roots(BEGIN), [(0, 0, 10)], kernel=turn_kernel
    )
    assert product(record["products"][0, 0]) == sum((2 * value) ** 2 for _, _, value in plain)


@pytest.mark.slow
def test_a_redouble_that_is_passed_loses_the_cube_before_it(turn_kernel):
    """Seat 0 doubles to 2 and is taken; seat 1 redoubles at once and is passed: 2 points, after one ply."""
    assert cube_games(turn_kernel, DOUBLE_AND_PASS) == [(LOST, 1, -2 * UNIT)] * 10


# --- stop_test ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_trials_stopped_after_three_plies_are_truncated(turn_kernel):
    """Nobody bears off 15 checkers in three plies: each trial is truncated, worth 0, three rolls long."""
    (record,) = records(settings(max_plies=STOP_AT_THREE), roots(BEGIN), [(0, 0, 40)], kernel=turn_kernel)
    assert record["sums"][0].tolist() == [0, 0, 0, 0, 0, 0, 40, 3 * 40, *[0] * 8]
    assert product(record["products"][0, 0]) == 0


@pytest.mark.slow
def test_stopping_by_what_the_board_shows(turn_kernel):
    """Each trial ends with the first hit, exactly where the game in plain Python has it."""
    ours = settings(max_plies=STOP_ON_HIT, seed=12)
    trials = range(12)
    found = single_trials(ours, BEGIN, trials, kernel=turn_kernel)
    for trial, game in zip(trials, replay.games(BEGIN, trials, (choose_at_random,) * 2), strict=True):
        hit = next(n for n, turn in enumerate(game.turns, start=1) if turn.after[1][BAR])
        assert found[trial] == (TRUNCATED, hit, 0)


# --- blocked_points, list_results -----------------------------------------------------------------


def barred(board, roll):
    """Results where no enemy checker may be landed on and doubles are lost, by kernel and rule book."""
    if roll[0] == roll[1]:
        return []
    row, out = pack([Position(*board)])[0], np.zeros((MAX_RESULTS, 4), np.uint64)
    blocked = np.uint64(sum(1 << 25 - point for point in range(1, 25) if board[1][point]))
    dice = (np.uint64(die) for die in roll)
    n = list_results(row, *dice, blocked, out)
    found = [replay.as_tuples(unpack(result)) for result in out[:n]]
    # To the oracle a lone checker that blocks is a made point.
    twice = tuple(2 if 1 <= point <= 24 and count == 1 else count for point, count in enumerate(board[1]))
    assert {mover for mover, _ in found} == {mover for mover, _ in oracle.results(board[0], twice, roll)}
    assert {opponent for _, opponent in found} <= {board[1]}
    return found


@pytest.mark.slow
def test_blots_added_to_the_blocked_mask_are_never_hit(list_kernel):
    """Dutch backgammon's mask: kernel and plain Python play the same games, and no checker is ever hit."""
    trials = range(12)
    kernel = single_trials(settings(seed=12, max_plies=2_000), BEGIN, trials, kernel=list_kernel)
    games = list(replay.games(BEGIN, trials, (choose_at_random,) * 2, lister=barred, max_plies=2_000))
    assert kernel == [(game.outcome, game.plies, POINTS[game.outcome] * UNIT) for game in games]
    assert not any(turn.after[who][BAR] for game in games for turn in game.turns for who in (0, 1))
    # in ordinary games on the same dice there are hits in plenty
    plain = replay.games(BEGIN, trials, (choose_at_random,) * 2)
    assert all(any(turn.after[1][BAR] for turn in game.turns) for game in plain)


@pytest.mark.slow
def test_lost_doubles_pass_the_turn(list_kernel):
    """{1:2} against {1:2}: any mixed roll ends the game, so the plies are those up to the first of them."""
    ends = Start((side({1: 2}), side({1: 2})), stream=33, seed=12)
    found = single_trials(settings(seed=12), ends, range(60), kernel=list_kernel)
    for trial, (outcome, plies, value) in enumerate(found):
        rolls = [ends.dice(trial, ply) for ply in range(plies)]
        assert [a == b for a, b in rolls] == [True] * (plies - 1) + [False]
        winner = 0 if plies % 2 else 3
        assert (outcome, value) == (winner, POINTS[winner] * UNIT)
    assert max(plies for _, plies, _ in found) > 1


# --- roots that share dice ------------------------------------------------------------------------


@pytest.mark.slow
def test_paired_difference_of_two_roots_through_a_seam(turn_kernel):
    """Two roots, the cube doubled once in each: difference and error as from the lists of values."""
    one, other = RACE, Start((RACE.board[0], side({1: 2, 2: 2, 3: 3, 6: 1})), RACE.stream, RACE.seed)
    ours, n = settings(max_plies=DOUBLE_ONCE, seed=12), 80
    (record,) = records(ours, roots(one, other), [(0, 0, n)], group_size=2, kernel=turn_kernel)
    values = [
        np.array([value for _, _, value in single_trials(ours, start, range(n), kernel=turn_kernel)]) / UNIT
        for start in (one, other)
    ]
    differences = values[0] - values[1]
    products = [[product(record["products"][i, j]) for j in range(2)] for i in range(2)]
    totals = [int(record["sums"][j, VALUE]) for j in range(2)]
    mean, error = paired_difference(totals, products, n, 0, 1)
    assert mean / UNIT == differences.mean()
    assert error / UNIT == pytest.approx(differences.std(ddof=1) / np.sqrt(n), rel=1e-12)
    assert error > 0


def test_the_stand_in_mask_itself():
    """From the start: every point that the opponent occupies, in the mover's numbers."""
    row = pack([Position(*START)])[0]
    mask = every_checker_blocks(row[2], row[3])
    assert {index for index in range(26) if mask >> index & 1} == {1, 12, 17, 19}
