"""Whole games of the kernel against whole games in plain Python, trial by trial."""

from __future__ import annotations

import pytest

from bgsim.engine.boards import pack
from bgsim.kernels import playout
from tests import oracle
from tests.cases import as_position
from tests.kernels import replay
from tests.kernels.kernel_runs import POINTS, records, roots, settings, single_trials
from tests.kernels.replay import Start, choose_at_random, choose_greedily
from tests.oracle import BAR, START, side

CHOOSERS = {"random": choose_at_random, "greedy": choose_greedily}
TRIALS = (0, 1, 2, 2**31 + 5, 2**32, 2**48 - 1)

ACE_POINT_GAME = (side({2: 4, 3: 3, 4: 2, 5: 3, 6: 3}), side({24: 2, 6: 5, 5: 4, 4: 4}))
BAR_AGAINST_FIVE_POINTS = (side({BAR: 2, 13: 3, 8: 5, 6: 5}), side({6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 13: 2}))
HYPERGAMMON = (oracle.HYPERGAMMON_SIDE, oracle.HYPERGAMMON_SIDE)

GAMES = {
    "start": (Start(START, stream=17, seed=5), "random", "random"),
    "start greedy": (Start(START, stream=17, seed=5), "greedy", "greedy"),
    "seats differ": (Start(START, stream=1, seed=2**63 + 1), "greedy", "random"),
    "seats differ, swapped": (Start(START, stream=1, seed=2**63 + 1), "random", "greedy"),
    "opening": (Start(START, stream=2**64 - 1, seed=1, opening=True), "greedy", "greedy"),
    "roll given": (Start(START, stream=4, seed=2, roll=(2, 1)), "greedy", "random"),
    "stratified": (Start(START, stream=4, seed=3, stratified=True), "greedy", "greedy"),
    "stratified opening": (
        Start(START, stream=4, seed=3, opening=True, stratified=True),
        "greedy",
        "greedy",
    ),
    "stratified, roll given": (
        Start(START, stream=4, seed=3, roll=(6, 6), stratified=True),
        "greedy",
        "greedy",
    ),
    "bar": (Start(BAR_AGAINST_FIVE_POINTS, stream=6, seed=4), "random", "greedy"),
    "bear-off with contact": (Start(ACE_POINT_GAME, stream=7, seed=5), "random", "random"),
    "hypergammon": (Start(HYPERGAMMON, stream=8, seed=6), "random", "random"),
}


def played(game):
    """What the kernel's record of one trial says of this game."""
    return game.outcome, game.plies, POINTS[game.outcome] << 32


def kernel_and_replay(start, own, other, trials, **options):
    """The same trials, by the kernel and in plain Python."""
    ours = settings(own, other, seed=start.seed, stratified=start.stratified, **options)
    choosers = (CHOOSERS[own], CHOOSERS[other])
    games = list(replay.games(start, trials, choosers, **options))
    return single_trials(ours, start, trials), games


@pytest.mark.parametrize("trials", [TRIALS[::3], pytest.param(TRIALS, marks=pytest.mark.slow)], ids=len)
@pytest.mark.parametrize(("start", "own", "other"), GAMES.values(), ids=list(GAMES))
def test_games_against_plain_python(start, own, other, trials):
    """Dice, listing, choice, turn and result, from the first roll to the last."""
    kernel, games = kernel_and_replay(start, own, other, trials)
    assert kernel == [played(game) for game in games]


def test_many_short_games_against_plain_python():
    """Hypergammon ends soon: 60 games with every outcome that it can have in so many."""
    start = Start(HYPERGAMMON, stream=9, seed=7)
    kernel, games = kernel_and_replay(start, "random", "random", range(60))
    assert kernel == [played(game) for game in games]
    assert {game.outcome for game in games} == set(range(6))


@pytest.mark.parametrize("max_plies", [1, 2, 7])
def test_truncated_games_against_plain_python(max_plies):
    start = Start((side({1: 3, 2: 3}), side({1: 4, 3: 1})), stream=10, seed=8)
    kernel, games = kernel_and_replay(start, "random", "greedy", range(20), max_plies=max_plies)
    assert kernel == [played(game) for game in games]
    assert max(plies for _, plies, _ in kernel) <= max_plies


# --- results of finished games --------------------------------------------------------------------

# The loser's points, and whether he lost 1, 2 or 3 (G1-G3).
LOSERS = [
    ({6: 14}, 1),
    ({25: 14}, 1),
    ({1: 1}, 1),
    ({6: 15}, 2),
    ({18: 15}, 2),
    ({18: 14, 19: 1}, 3),
    ({6: 14, 24: 1}, 3),
    ({6: 14, 25: 1}, 3),
    ({25: 15}, 3),
]


@pytest.mark.parametrize(("points", "worth"), LOSERS)
def test_a_finished_root_is_its_own_result(points, worth):
    """R18 in the kernel: no ply, no dice, whoever has won and whatever roll is given."""
    won = (side({}), side(points))
    lost = (won[1], won[0])
    for roll in (None, (6, 6)):
        for trial in (0, 1):
            assert single_trials(settings(), Start(won, roll=roll), [trial]) == [(worth - 1, 0, worth << 32)]
            assert single_trials(settings(), Start(lost, roll=roll), [trial]) == [
                (worth + 2, 0, -worth << 32)
            ]


@pytest.mark.parametrize(("points", "worth"), LOSERS)
def test_a_game_that_ends_on_the_first_ply(points, worth):
    start = Start((side({2: 1}), side(points)))
    assert single_trials(settings(), start, range(40)) == [(worth - 1, 1, worth << 32)] * 40


def test_finished_outcome_against_the_oracle():
    for points, worth in LOSERS:
        loser = side(points)
        boards = pack([as_position((side({}), loser)), as_position((loser, side({})))])
        found = [playout.finished_outcome(row) for row in boards]
        assert found == [worth - 1, worth + 2]


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_a_given_roll_is_as_if_it_had_been_rolled(policy):
    """The root given the very roll of its first ply plays the same game as the root that rolls it."""
    rolling = Start(START, stream=13, seed=10)
    ours = settings(policy, seed=10)
    for trial in range(20):
        given = Start(START, stream=13, seed=10, roll=rolling.dice(trial, 0))
        assert single_trials(ours, given, [trial]) == single_trials(ours, rolling, [trial])


def test_the_order_of_the_two_dice_does_not_matter():
    for roll in ((6, 1), (5, 4)):
        rows = [
            single_trials(settings(), Start(START, stream=14, roll=dice), range(10))
            for dice in (roll, roll[::-1])
        ]
        assert rows[0] == rows[1]


# --- turns that are lost --------------------------------------------------------------------------

CLOSED = (side({BAR: 1, 6: 14}), side({1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 7: 3}))


def test_a_lost_turn_passes_on_and_rolls_again():
    """Seat 0 dances until the board opens; every turn of his is a ply of its own, with its own roll."""
    start = Start(CLOSED, stream=12, seed=9)
    kernel, games = kernel_and_replay(start, "random", "random", range(4))
    assert kernel == [played(game) for game in games]
    for trial, game in enumerate(games):
        first, second, third = game.turns[:3]
        assert (first.seat, first.passed, first.after) == (0, True, CLOSED)
        assert (second.seat, second.passed, second.before) == (1, False, (CLOSED[1], CLOSED[0]))
        assert third.seat == 0
        assert [turn.roll for turn in game.turns] == [start.dice(trial, ply) for ply in range(game.plies)]


def test_two_closed_boards_run_into_the_limit_of_plies():
    """Both sides are on the bar against six made points: nobody ever moves, and the trial must still end."""
    dead = side({BAR: 3, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2})
    found = single_trials(settings(max_plies=10_000), Start((dead, dead)), [0, 1])
    assert found == [(playout.TRUNCATED, 10_000, 0)] * 2


def test_a_position_without_a_roll_rolls_at_once():
    """{1:1} against {1:1}: one ply, whatever the dice."""
    rows = single_trials(settings(), Start((side({1: 1}), side({1: 1}))), range(50))
    assert rows == [(playout.WIN, 1, 1 << 32)] * 50


def test_the_kernel_leaves_its_roots_alone():
    start = Start(START, stream=1, roll=(4, 2))
    ours = roots(start)
    records(settings(), ours, [(0, 0, 20)])
    assert all((a == b).all() for a, b in zip(ours, roots(start), strict=True))
