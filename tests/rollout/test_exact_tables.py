"""Exact tables in play: what nets know by them, where trials end, and that nothing else changes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import bgsim
from bgsim.bearoff.answers import ask_two_sided, win_by_rolls
from bgsim.bearoff.cache import built_in
from bgsim.bearoff.lists import side_of
from bgsim.bearoff.two_sided import build_two_sided
from bgsim.core.errors import PlanError, TableError
from bgsim.core.notation import parse
from bgsim.core.position import Position
from bgsim.engine.boards import pack
from bgsim.engine.plays import legal_plays
from bgsim.engine.policies import OUTCOME_VALUES, equity_of, players_of
from bgsim.engine.tables import BUILT_IN, NO_TABLES, tables_of
from bgsim.kernels.board import MAX_RESULTS
from bgsim.kernels.certain import CERTAIN
from bgsim.kernels.playout import certain_outcome
from bgsim.kernels.policy import score_results
from bgsim.kernels.tables import APPROXIMATE, EXACT, UNKNOWN, look_up
from bgsim.run.ledger import Ledger
from bgsim.run.local import LocalExecutor
from bgsim.run.plan import Plan, Root
from bgsim.run.runner import run_plan

UNIT = 2 / CERTAIN  # shares of 2^-24, twice rounded


@cache
def small_full_table(folder):
    """15 checkers on 3 points, so with gammons, in a file."""
    build_two_sided(points=3, checkers=15, out=folder / "full.arrow")
    return str(folder / "full.arrow")


@pytest.fixture(scope="module")
def full_table(tmp_path_factory):
    return small_full_table(tmp_path_factory.mktemp("tables"))


def random_sides(rng, checkers, points=6):
    """{point: checkers} of up to so many checkers, at least one."""
    chosen = rng.integers(1, points + 1, rng.integers(1, checkers + 1))
    return {int(p): int(n) for p, n in zip(*np.unique(chosen, return_counts=True), strict=True)}


def random_positions(n, checkers, *, points=6, seed=3):
    rng = np.random.default_rng(seed)
    sides = [[random_sides(rng, checkers, points) for _ in range(2)] for _ in range(n)]
    return [Position.from_points(*both) for both in sides]


def known(names, positions, approximate=True):
    """What the kernels find for the player who has just moved: kinds, and chances [n, 5]."""
    tables = tables_of(names).for_kernels()
    chances = np.zeros((len(positions), 5), np.int64)
    boards = pack(positions)
    kinds = [look_up(tables, boards, row, approximate, chances, row) for row in range(len(positions))]
    return kinds, chances / CERTAIN


# --- looking up -----------------------------------------------------------------------------------


def test_a_two_sided_table_says_in_play_what_it_says_when_asked():
    positions = random_positions(500, 6)
    kinds, chances = known(["two-sided-6x6"], positions)
    assert set(kinds) == {EXACT}
    asked = ask_two_sided(built_in("two-sided-6x6"), [position.swapped() for position in positions])
    assert chances[:, 0] == pytest.approx(1 - asked["win"], abs=UNIT)
    assert not chances[:, 1:].any()


def test_gammons_are_those_of_the_table(full_table):
    positions = random_positions(300, 15, points=3)
    positions += [Position.from_points({1: 5, 2: 5, 3: 5}, {1: n, 3: 15 - n}) for n in range(16)]
    few = [Position.from_points({1: n}, {3: 15}) for n in range(1, 9)]
    positions += [*few, *(position.swapped() for position in few)]
    kinds, chances = known([full_table], positions)
    assert set(kinds) == {EXACT}
    from bgsim.bearoff.two_sided import open_two_sided

    asked = ask_two_sided(open_two_sided(full_table), [position.swapped() for position in positions])
    names = "lose_gammon", "lose_backgammon", "win_gammon", "win_backgammon"
    columns = [1 - asked["win"], *(asked[name] for name in names)]
    assert chances == pytest.approx(np.column_stack(columns), abs=UNIT)
    assert (chances[:, 1] > 0.01).any()
    assert (chances[:, 3] > 0.01).any()


def test_one_sided_tables_play_each_side_alone():
    positions = random_positions(200, 15, seed=4)
    kinds, chances = known(["one-sided-15x6"], positions)
    assert set(kinds) == {APPROXIMATE}
    table = built_in("one-sided-15x6")
    for position, chance in zip(positions, chances, strict=True):
        mover, other = (table.numbers([side[1:7]])[0] for side in (position.on_roll, position.opponent))
        lost = win_by_rolls(table.chances(other), table.chances(mover))
        assert chance[0] == pytest.approx(1 - lost, abs=UNIT)
        # A gammon: done with a roll after which, or before which, the other has none off.
        off = np.cumsum(np.pad(table.chances(other, first=True), (0, 40)))
        mine, none_off = table.chances(mover), 1 - off
        full = sum(position.opponent[1:]) == 15
        expected = mine @ none_off[: len(mine)] if full else 0.0
        assert chance[1] == pytest.approx(expected, abs=1e-6)


def test_the_two_sided_table_goes_first():
    six, seven = Position.from_points({6: 6}, {6: 6}), Position.from_points({6: 7}, {6: 6})
    assert known(BUILT_IN, [six, seven])[0] == [EXACT, APPROXIMATE]
    assert known(BUILT_IN, [six, seven], approximate=False)[0] == [EXACT, UNKNOWN]
    assert known((), [six, seven])[0] == [UNKNOWN, UNKNOWN]


@pytest.mark.parametrize(
    "position",
    [
        Position.from_points({7: 1}, {6: 1}),  # not home
        Position.from_points({25: 1}, {6: 1}),
        Position.from_points({6: 1}, {}),  # over
        Position.from_points({1: 3}, {1: 2}, checkers=3),  # all of a set of three: no table has its gammons
    ],
    ids=str,
)
def test_positions_that_are_in_no_table(position):
    assert known(BUILT_IN, [position])[0] == [UNKNOWN]


# --- plays ----------------------------------------------------------------------------------------


def test_nets_play_by_the_tables():
    """Every play of two small sides has the exact equity, whatever the net would say."""
    for position in random_positions(20, 5, seed=8):
        for roll in ((6, 1), (3, 2), (2, 2)):
            after = [play.after for play in legal_plays(position, roll)]
            after = [result for result in after if not result.is_over]
            if not after:
                continue
            ready = players_of("net")
            scores, results = np.zeros(MAX_RESULTS, np.int64), pack(after)
            score_results(
                ready.players[0], pack([position])[0], results, len(after), OUTCOME_VALUES,
                ready.evaluator(tables_of(BUILT_IN)), scores,
            )  # fmt: skip
            asked = ask_two_sided(built_in("two-sided-6x6"), [result.swapped() for result in after])
            found = [equity_of(int(score)) for score in scores[: len(after)]]
            assert found == pytest.approx(-asked["equity_cubeless"], abs=2 * UNIT)


# --- outcomes that nothing can change -------------------------------------------------------------


def test_no_side_needs_more_rolls_than_the_kernel_thinks():
    """All 54,264 positions of a home board, the most rolls by any rolls and any legal plays."""
    side = side_of(6, 15)
    slowest = np.zeros(len(side.positions), np.int64)
    for pips in range(1, side.pip_counts):
        first, end = (int(n) for n in side.firsts[pips : pips + 2])
        starts = side.offsets[first * 21 : end * 21 : 21]
        plays = side.plays[starts[0] : side.offsets[end * 21]]
        slowest[first:end] = 1 + np.maximum.reduceat(slowest[plays], starts - starts[0])
    left, pips = side.positions.sum(axis=1, dtype=int), side.positions @ np.arange(1, 7)
    bound = (pips - left + 2 * (1 - left % 2)) // 3 + (left + 1) // 2
    assert np.all(slowest <= bound)
    assert np.mean(slowest == bound) > 0.5  # no idle bound


CERTAIN_OUTCOMES = {
    "1:2 / 1:15": 1,  # off at once, the other has none off: a gammon
    "1:1 / 23:15": 2,
    "1:2 / 1:3": 0,
    "3:1 / 6:4": 0,
    "4:1 / 6:4": -1,  # 2-1 and 1-1 leave it there, but then?
    "1:4 / 6:9": 0,  # two rolls at most, three at least
    "1:4 / 6:8": 0,
    "1:4 / 6:4": -1,
    "6:9 / 1:4": 3,  # the other way round: two rolls at most, and three are needed
    "6:8 / 1:4": -1,
    "1:4 / 1:15": -1,  # it is won, but not yet whether by a gammon
}


@pytest.mark.parametrize(("text", "outcome"), CERTAIN_OUTCOMES.items(), ids=str)
def test_outcomes_that_are_certain(text, outcome):
    assert certain_outcome(pack([parse(text).position])[0]) == outcome


def ledger_of(plan, workers=2):
    ledger = Ledger(len(plan.roots))
    with LocalExecutor(workers) as executor:
        assert run_plan(plan, executor, ledger)
    return ledger


RACES = ("6:3 5:3 4:3 / 6:3 5:2 3:3", "10:2 8:3 6:5 5:3 4:2 / 11:1 9:2 6:5 5:4 4:3", "start")


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_settled_trials_end_as_they_would_have_anyway(policy):
    roots = tuple(Root(parse(text)) for text in RACES)
    plan = Plan(roots=roots, policy=policy, trials=300, seed=5)
    whole = Plan(roots=roots, policy=policy, trials=300, seed=5, settle=False)
    assert plan.plan_id != whole.plan_id
    for settled, played in zip(ledger_of(plan).totals, ledger_of(whole).totals, strict=True):
        a, b = settled.statistics(), played.statistics()
        assert (a.counts, a.totals, a.squares) == (b.counts, b.totals, b.squares)
        assert a.settled_trials > 100
        assert b.settled_trials == 0
        assert a.plies < b.plies


# --- trials that end in a table -------------------------------------------------------------------


def test_a_covered_root_needs_no_trial():
    """Its figures are the table's, its errors 0."""
    result = bgsim.rollout("5:1 2:1 / 3:1 2:1", trials=10, truncate="exact")
    assert (result.win, result.equity) == pytest.approx((0.671124829, 0.342249657), abs=3e-5)
    assert (result.win_se, result.equity_se, result.mean_plies, result.table_trials) == (0, 0, 0, 10)
    assert (result.tables, result.truncate) == (" ".join(BUILT_IN), "exact")


def test_a_roll_that_is_given_is_played():
    """Case by arithmetic: 4-3 leaves 5,2 with one checker on the ace or deuce point."""
    state = parse("XGID=--A--A----------------aa--:0:0:1:43:0:0:3:0:10")
    result = bgsim.rollout(state, trials=10, truncate="exact")
    after = [play.after.swapped() for play in legal_plays(state.position, (4, 3))]
    values = ask_two_sided(built_in("two-sided-6x6"), after)["equity_cubeless"]
    assert result.mean_plies == 1.0
    assert min(abs(result.equity + value) for value in values) < 2 * UNIT


def test_truncation_where_it_is_approximate():
    text = "6:5 5:5 4:5 / 6:5 5:5 4:5"
    exact = bgsim.rollout(text, trials=40, truncate="exact", policy="net-fast")
    early = bgsim.rollout(text, trials=40, truncate="bearoff", policy="net-fast")
    assert (early.mean_plies, early.table_trials, early.equity_se) == (0.0, 40, 0.0)
    assert exact.mean_plies > 5
    assert 30 < exact.table_trials <= 40  # others were over before, or certain


def test_the_same_numbers_whatever_the_workers_and_batches():
    plan = Plan(roots=(Root(parse(RACES[1])),), policy="net-fast", trials=60, truncate="bearoff", seed=2)
    one, two = ledger_of(plan, 1).totals[0], ledger_of(plan, 2).totals[0]
    assert (one.sums, one.squares, one.products) == (two.sums, two.squares, two.products)


TWENTY = 20


@pytest.mark.slow
@pytest.mark.parametrize("truncate", ["exact", "bearoff"])
def test_trials_that_end_in_tables_agree_with_full_ones(truncate):
    """20 positions, 4 standard errors of the difference; the one-sided table may be 0.003 off besides."""
    rng = np.random.default_rng(12)
    roots = []
    for _ in range(TWENTY):
        mine, theirs = (random_sides(rng, 15, points=8) for _ in range(2))
        roots.append(Root(parse(Position.from_points(mine, theirs).gnubg_id)))
    common = {"roots": tuple(roots), "policy": "net-fast", "trials": 1500}
    full = ledger_of(Plan(**common, seed=1, tables=BUILT_IN)).totals
    early = ledger_of(Plan(**common, seed=2, truncate=truncate)).totals
    slack = 0.003 if truncate == "bearoff" else 0.0
    for a, b in zip(full, early, strict=True):
        a, b = a.statistics(), b.statistics()
        for name in ("win", "win_gammon", "lose_gammon"):
            (x, sx), (y, sy) = a.rate(name), b.rate(name)
            assert abs(x - y) <= 4 * np.hypot(sx, sy) + slack + 1e-12
        assert abs(a.equity - b.equity) <= 4 * np.hypot(a.equity_se, b.equity_se) + 2 * slack + 1e-12


# --- which tables ---------------------------------------------------------------------------------


def test_tables_are_part_of_the_plan(tmp_path):
    root = Root(parse("6:1 / 6:1"))
    names = [(), BUILT_IN, ("two-sided-6x6",)]
    build_two_sided(checkers=3, out=tmp_path / "x.arrow")
    names.append((str(tmp_path / "x.arrow"),))
    plans = [Plan(roots=(root,), tables=some) for some in names]
    assert len({plan.plan_id for plan in plans}) == 4
    assert Plan(roots=(root,), tables=["built-in"]).plan_id == plans[1].plan_id
    assert Plan(roots=(root,), truncate="exact").tables == BUILT_IN


def test_mistakes(tmp_path):
    root = Root(parse("6:1 / 6:1"))
    with pytest.raises(PlanError, match="truncate is 'soon': none, exact, bearoff are allowed"):
        Plan(roots=(root,), truncate="soon")
    with pytest.raises(TableError, match="there is no file nowhere"):
        Plan(roots=(root,), tables=("nowhere",))
    with pytest.raises(PlanError, match="tables is 'built-in': a list of names is allowed"):
        Plan(roots=(root,), tables="built-in")
    build_two_sided(checkers=2, out=tmp_path / "x.arrow")
    with pytest.raises(PlanError, match="2 two-sided tables are named"):
        Plan(roots=(root,), tables=("two-sided-6x6", str(tmp_path / "x.arrow")))
    with pytest.raises(PlanError, match="settle is 1: true or false is allowed"):
        Plan(roots=(root,), settle=1)


def test_without_a_cache_they_are_held_in_memory(monkeypatch):
    from bgsim.bearoff import cache as cache_module

    pairs = np.random.default_rng(1).integers(1, 924, (200, 2))
    expected = built_in("two-sided-6x6").read("equity_owned", pairs)
    monkeypatch.setattr(cache_module, "CACHE_FOLDER", None)
    assert built_in("two-sided-6x6").read("equity_owned", pairs).tobytes() == expected.tobytes()


def test_a_damaged_cache_is_mended(monkeypatch, tmp_path):
    from bgsim.bearoff import cache as cache_module

    monkeypatch.setattr(cache_module, "CACHE_FOLDER", tmp_path)
    first = built_in("one-sided-15x6")
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.unlink()
    path.write_bytes(whole[:5000] + bytes(1) + whole[5001:])
    assert built_in("one-sided-15x6").means([700]).tolist() == first.means([700]).tolist()
    assert path.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [path]


def test_no_tables_are_no_tables():
    assert tables_of(()) is NO_TABLES
