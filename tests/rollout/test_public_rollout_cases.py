"""The public cases of kind "rollout", each by its id.

Faults that users of other programs met, with the smallest input that shows them.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

import bgsim
from bgsim.apps.rollout import make_result
from bgsim.core.errors import PlanError
from bgsim.core.notation import parse
from bgsim.engine.batch import MAX_BATCH_TRIALS
from bgsim.engine.plays import legal_plays
from bgsim.kernels import dice
from bgsim.kernels.playout import roll_dice
from bgsim.run.ledger import Ledger
from bgsim.run.local import LocalExecutor
from bgsim.run.plan import Plan, Root
from bgsim.run.runner import Stop, run_plan
from tests.cases import public_cases
from tests.kernels.kernel_runs import records

CASES = public_cases("rollout")
START = "4HPwATDgc/ABMA"
RATES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")


def ledger_of(plan, workers=2, **options):
    """The sums of a plan carried out by threads of this process."""
    ledger = Ledger(len(plan.roots))
    with LocalExecutor(workers) as executor:
        assert run_plan(plan, executor, ledger, **options)
    return ledger


def results_of(plan):
    """One result a root."""
    ledger = ledger_of(plan)
    return [
        make_result(plan, root, totals.statistics())
        for root, totals in zip(plan.roots, ledger.totals, strict=True)
    ]


def totals_of(ledger):
    return [(totals.sums, totals.products, totals.finished) for totals in ledger.totals]


def test_every_case_has_its_test():
    tested = {name.split("_")[1] for name in globals() if re.match(r"test_R\d\d_", name)}
    assert tested == set(CASES)


# --- R01 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trials", [1, 2, 1296])
def test_R01_equal_games_have_error_zero(trials):
    """{1:1} against {1:1}: on roll always bears off. Equity 1, its error exactly 0, and no NaN anywhere."""
    result = bgsim.rollout("AQAABAAAAAAAAA", trials=trials, settle=False)
    assert (result.equity, result.equity_se) == (1.0, 0.0)
    assert (result.win, result.win_se, result.win_gammon, result.win_gammon_se) == (1.0, 0.0, 0.0, 0.0)
    assert (result.trials, result.mean_plies) == (trials, 1.0)
    assert not any(np.isnan(figure) for figure in result.row().values() if isinstance(figure, float))


def test_R01_error_of_the_equity_is_that_of_the_sum():
    """{1:3} against {1:1}: a double wins at once, else the other side does. Points +1 and -1 only.

    Then equity is 2 W - 1 and its error twice that of W: two correlated parts, not two to be added up.
    """
    position = bgsim.Position.from_points({1: 3}, {1: 1})
    result = bgsim.rollout(position.gnubg_id, trials=4000)
    assert (result.win_gammon, result.lose_gammon) == (0.0, 0.0)
    assert result.equity == pytest.approx(2 * result.win - 1, abs=1e-15)
    assert result.equity_se == pytest.approx(2 * result.win_se, rel=1e-12)
    share = result.win
    assert result.win_se == pytest.approx(sqrt(share * (1 - share) / 3999), rel=1e-12)
    assert abs(share - 1 / 6) < 4 * sqrt(1 / 6 * 5 / 6 / 4000)


# --- R02 ------------------------------------------------------------------------------------------


def candidates():
    """The start after 8/5 6/5, 24/23 13/10 and 13/10 6/5 with 3-1, the opponent on roll."""
    plays = {str(play): play for play in legal_plays(parse(START).position, (3, 1))}
    wanted = ("8/5 6/5", "24/23 13/10", "13/10 6/5")
    return tuple(Root(bgsim.parse(plays[text].after.swapped().gnubg_id), text) for text in wanted)


@pytest.fixture(scope="module")
def three_plays():
    plan = Plan(roots=candidates(), policy="greedy", trials=1296, seed=2)
    return plan, totals_of(ledger_of(plan, workers=1))


@pytest.mark.parametrize(
    "workers", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(7, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("batch", [None, pytest.param(7, marks=pytest.mark.slow), 500, MAX_BATCH_TRIALS])
def test_R02_every_alternative_gets_its_trials_once(three_plays, workers, batch):
    """Exactly 1,296 trials each, and the same sums for any number of workers and any size of a task."""
    plan, expected = three_plays
    ledger = ledger_of(plan, workers=workers, batch=batch)
    assert [totals.trials for totals in ledger.totals] == [1296] * 3
    assert [totals.finished for totals in ledger.totals] == [[(0, 1296)]] * 3
    assert totals_of(ledger) == expected


def test_R02_an_alternative_is_the_same_alone_and_in_any_order(three_plays):
    plan, expected = three_plays
    turned = totals_of(ledger_of(replace(plan, roots=plan.roots[::-1]), batch=100))
    assert turned == expected[::-1]
    assert totals_of(ledger_of(replace(plan, roots=plan.roots[1:2]))) == expected[1:2]


# --- R04 ------------------------------------------------------------------------------------------


def first_rolls(plan, trials):
    """The rolls of ply 0, as the kernel of this plan draws them; larger die first."""
    ours, roots, scratch = plan.settings(), plan.kernel_roots(), np.zeros(36, np.int64)
    found = Counter()
    for trial in range(trials):
        word = dice.block(ours.seed, roots.streams[0], np.uint64(trial), np.uint64(0), dice.PLAY)[0]
        rolled = roll_dice(ours, roots, 0, trial, 0, word, scratch)
        found[max(rolled), min(rolled)] += 1
    return found


def test_R04_stratified_openings_have_each_of_15_rolls_equally_often():
    plan = Plan(roots=(Root(parse("start")),), policy="greedy", trials=900, stratified=True)
    rolls = first_rolls(plan, 900)
    assert {roll: Fraction(count, 900) for roll, count in rolls.items()} == {
        (high, low): Fraction(1, 15) for high in range(2, 7) for low in range(1, high)
    }


def test_R04_an_opening_never_begins_with_a_double():
    rolls = first_rolls(Plan(roots=(Root(parse("start")),)), 3_000)
    assert len(rolls) == 15
    assert all(high != low for high, low in rolls)


def test_R04_the_same_position_without_the_opening_has_all_21_rolls():
    rolls = first_rolls(Plan(roots=(Root(parse(START)),), trials=36, stratified=True), 36)
    assert rolls == {(a, b): 1 if a == b else 2 for a in range(1, 7) for b in range(1, a + 1)}


def test_R04_a_cycle_of_an_opening_is_30_trials():
    opening, plain = (bgsim.rollout(text, trials=31, stratified=True) for text in ("start", START))
    assert (opening.trials, plain.trials) == (60, 36)


# --- R07 ------------------------------------------------------------------------------------------

POSITIONS = (
    "start",
    START,
    "sGfwATDgc/ABMA",
    "4HPwATDgc/ABUA",
    "jGfkASjg8wcBMA",
    "24:15 / 24:15",
    "25:15 / 6:5 5:5 4:5",
)


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_R07_rates_and_equity_fit_together(policy):
    """Backgammons <= gammons <= wins of each side, losses are the rest, and the rates give the equity."""
    plan = Plan(roots=tuple(Root(parse(text)) for text in POSITIONS), policy=policy, trials=400)
    for result in results_of(plan):
        other = result.turned()
        for view in (result, other):
            assert 0 <= view.win_backgammon <= view.win_gammon <= view.win <= 1
            equity = 2 * view.win - 1 + view.win_gammon + view.win_backgammon
            assert view.equity == pytest.approx(equity - view.lose_gammon - view.lose_backgammon, abs=1e-12)
        assert result.win + other.win == pytest.approx(1, abs=1e-15)
        assert other.equity == -result.equity
        assert result.truncated_trials == 0


# --- R09 ------------------------------------------------------------------------------------------


def test_R09_seeds_beyond_32_bits_have_their_own_dice():
    seeds = (0, 2**32, 2**64 - 1, 1, 2**32 - 1, 2**63)
    root = Root(parse(START))
    sums = [totals_of(ledger_of(Plan(roots=(root,), seed=seed, trials=50)))[0][0][0] for seed in seeds]
    assert len(set(map(tuple, sums))) == len(seeds)
    rolls = {tuple(map(int, dice.block(*map(np.uint64, (seed, 0, 0, 0, 0))))) for seed in seeds}
    assert len(rolls) == len(seeds)


@pytest.mark.parametrize("seed", [-1, 10**30, 2**64])
def test_R09_other_seeds_are_refused(seed):
    with pytest.raises(PlanError, match=f"seed is {seed}: a whole number from 0 to {2**64 - 1} is allowed"):
        bgsim.rollout("start", seed=seed, trials=1)


# --- R12 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["AQAADAAAAAAAAA", bgsim.Position.from_gnubg_id("AQAADAAAAAAAAA").swapped().gnubg_id]
)
@pytest.mark.parametrize("max_plies", [1, 2, 3, 10_000])
def test_R12_on_roll_wins_at_once_whatever_the_limit(text, max_plies):
    """{1:2} against {1:1}, and {1:1} against {1:2}: +1 for the player on roll, -1 for the one who waits."""
    (result,) = results_of(Plan(roots=(Root(parse(text)),), trials=36, max_plies=max_plies))
    waiting = result.turned()
    assert (result.equity, result.equity_se, result.win, result.truncated_trials) == (1.0, 0.0, 1.0, 0)
    assert (waiting.equity, waiting.equity_se, waiting.win) == (-1.0, 0.0, 0.0)


@pytest.mark.parametrize("max_plies", [2, 3, 10_000])
def test_R12_the_side_that_cannot_win_in_time_loses(max_plies):
    """{6:5} against {1:1}: on roll bears off four at most, then the other side wins on ply 2."""
    position = bgsim.Position.from_points({6: 5}, {1: 1})
    root = Root(parse(position.gnubg_id))
    (result,) = results_of(Plan(roots=(root,), trials=36, max_plies=max_plies, settle=False))
    assert (result.equity, result.win, result.mean_plies) == (-1.0, 0.0, 2.0)
    assert result.turned().equity == 1.0


def test_R12_a_trial_cut_off_before_the_end_is_nobodys():
    root = Root(parse(bgsim.Position.from_points({6: 5}, {1: 1}).gnubg_id))
    (result,) = results_of(Plan(roots=(root,), trials=36, max_plies=1, settle=False))
    assert (result.truncated_trials, result.equity, result.win, result.marked) == (36, 0.0, 0.0, True)
    assert (result.turned().win, result.turned().equity) == (0.0, 0.0)


# --- R14 ------------------------------------------------------------------------------------------

BOTTOM_FIRST = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10"
TOP_FIRST = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:3:0:10"


def mirrored(xgid):
    """The XGID with the two seats changed: the board read from the other end, the other one to roll."""
    board, *fields = xgid.removeprefix("XGID=").split(":")
    fields[2] = str(-int(fields[2]))
    return ":".join([f"XGID={board[::-1].swapcase()}", *fields])


SEATED = (
    BOTTOM_FIRST,
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:61:0:0:3:0:10",
    "XGID=a-BBBC-A---A-----bb-ccbA-A:0:0:1:00:0:0:3:0:10",
)


@pytest.mark.parametrize("xgid", SEATED)
@pytest.mark.parametrize("policies", [("greedy", "greedy"), ("random", "greedy")])
def test_R14_changing_seats_mirrors_every_game(xgid, policies):
    """The bottom seat's games from one end of the board are the top seat's from the other, trial by trial."""
    own, other = policies
    plans = [
        Plan(roots=(Root(parse(text)),), policy=own, opponent_policy=other, trials=64, seed=14)
        for text in (xgid, mirrored(xgid))
    ]
    games = [
        records(plan.settings(), plan.kernel_roots(), [(0, trial, 1) for trial in range(64)])
        for plan in plans
    ]
    assert games[0].tobytes() == games[1].tobytes()
    bottom, top = (results_of(plan)[0] for plan in plans)
    assert [plan.roots[0].state.bottom_on_roll for plan in plans] == [True, False]
    # to the bottom seat the second game is the first with the signs changed
    assert top.turned().equity == -bottom.equity
    assert (top.turned().lose_gammon, top.turned().lose_gammon_se) == (
        bottom.win_gammon,
        bottom.win_gammon_se,
    )


@pytest.mark.parametrize("policy", ["random", pytest.param("greedy", marks=pytest.mark.slow)])
def test_R14_win_shares_of_the_seats(policy):
    """Each seat begins half of 8,000 games, on different dice: its share of wins is 1/2 within 4 errors."""
    half = 4_000
    plan = Plan(roots=(Root(parse("start")),), policy=policy, trials=2 * half, seed=140)
    bottom_first, top_first = records(plan.settings(), plan.kernel_roots(), [(0, 0, half), (0, half, half)])
    won, lost = bottom_first["sums"][0][:3].sum(), top_first["sums"][0][3:6].sum()
    assert abs((won + lost) / (2 * half) - 0.5) < 4 * 0.5 / sqrt(2 * half)
    gammons = bottom_first["sums"][0][1:3].sum() + top_first["sums"][0][4:6].sum()
    against = bottom_first["sums"][0][4:6].sum() + top_first["sums"][0][1:3].sum()
    assert abs(int(gammons) - int(against)) < 4 * sqrt(gammons + against)


# --- R18 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "equity"),
    [
        ("4AMAAAAAAAAAAA", 1.0),
        (bgsim.Position.from_gnubg_id("4AMAAAAAAAAAAA").swapped().gnubg_id, -1.0),
        ("/ 6:15", 2.0),
        ("6:14 24:1 / ", -3.0),
    ],
)
def test_R18_a_finished_game_is_its_own_result(text, equity):
    """{} against {6:5}: won, a single game. No roll is made, no play is listed."""
    result = bgsim.rollout(text, trials=20)
    assert (result.equity, result.equity_se, result.mean_plies, result.trials) == (equity, 0.0, 0.0, 20)
    assert [legal_plays(bgsim.parse(text).position, roll) for roll in ((6, 6), (2, 1))] == [[], []]


# --- R20 ------------------------------------------------------------------------------------------


def interrupt_later(seconds):
    """Send this process a SIGINT that long after `Stop` has taken the signal over."""
    usual = signal.getsignal(signal.SIGINT)

    def send():
        while signal.getsignal(signal.SIGINT) is usual:
            time.sleep(0.01)
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    return thread


def test_R20_an_interrupt_ends_a_long_kernel_and_keeps_whole_records():
    """Tasks of half a minute and more, a signal after 0.1 s: both kernels end with the trial in play.

    What was finished is kept: the sums of each segment are those of just its finished trials.
    """
    usual = signal.getsignal(signal.SIGINT)
    plan = Plan(roots=(Root(parse(START)),), policy="random", trials=2 * MAX_BATCH_TRIALS, seed=20)
    ledger = Ledger(1)
    sender = interrupt_later(0.1)
    began = time.monotonic()
    try:
        with LocalExecutor(2) as executor:
            finished = run_plan(plan, executor, ledger, batch=MAX_BATCH_TRIALS)
    except KeyboardInterrupt:
        pytest.fail("the interrupt went past the run")
    sender.join()
    assert not finished
    assert time.monotonic() - began < 15
    assert signal.getsignal(signal.SIGINT) is usual
    totals = ledger.totals[0]
    assert 0 < totals.trials < plan.trials
    assert sum(totals.sums[0][:7]) == totals.trials
    again = Ledger(1)
    for first, end in totals.finished:
        again.add(records(plan.settings(), plan.kernel_roots(), [(0, first, end - first)]))
    assert totals_of(again) == totals_of(ledger)


def test_R20_a_stop_asked_for_before_plays_nothing():
    stop, ledger = Stop(), Ledger(1)
    stop.request()
    with LocalExecutor(2) as executor:
        assert not run_plan(Plan(roots=(Root(parse(START)),)), executor, ledger, stop=stop)
    assert ledger.trials() == 0


# --- R21 ------------------------------------------------------------------------------------------


def test_R21_a_thousand_random_games_end(record_property):
    """From the start and from L07 with 6-6, where the first turn is lost and the other side rolls on."""
    lengths = []
    for text in ("start", "XGID=-b----E-C---eE---c-e----AA:0:0:1:66:0:0:3:0:10"):
        plan = Plan(roots=(Root(parse(text)),), policy="random", trials=1000, settle=False)
        games = records(plan.settings(), plan.kernel_roots(), [(0, trial, 1) for trial in range(1000)])
        assert games["sums"][:, 0, :6].sum(axis=1).tolist() == [1] * 1000  # none is truncated
        lengths += games["sums"][:, 0, 7].tolist()
    record_property("longest game in plies", max(lengths))
    # the winner moves 167 pips or more, at most 24 a turn: his 7th turn is the 13th ply at the earliest
    assert min(lengths) >= 13
    assert max(lengths) < 10_000


def test_R21_a_lost_turn_counts_as_a_ply_and_hands_over():
    """L07 with 6-6 given and a limit of one ply is cut off after one roll.

    On the bar against {1:2} with 1-1 given: the turn is lost, and the other seat wins with any roll.
    """
    assert legal_plays(bgsim.Position.from_gnubg_id("4HPwATDgc/ABUA"), (6, 6)) == []
    one = Plan(roots=(Root(replace(parse("4HPwATDgc/ABUA"), roll=(6, 6))),), trials=5, max_plies=1)
    assert ledger_of(one).totals[0].sums[0] == [0, 0, 0, 0, 0, 0, 5, 5, *[0] * 8]
    barred = bgsim.Position.from_points({25: 1, 6: 13}, {1: 2})
    two = Plan(roots=(Root(replace(parse(barred.gnubg_id), roll=(1, 1))),), trials=36, settle=False)
    assert ledger_of(two).totals[0].sums[0] == [0, 0, 0, 36, 0, 0, 0, 72, *[0] * 5, -36 << 32, 0, 0]
