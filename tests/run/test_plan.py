"""What a plan is: what decides its numbers, how it is named, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgsim.core.errors import PlanError, PolicyError, RulesError
from bgsim.core.notation import parse
from bgsim.core.position import Position
from bgsim.core.state import GameState
from bgsim.engine.boards import unpack
from bgsim.kernels.policy import GREEDY, RANDOM
from bgsim.run.plan import MAX_PLIES, NUMBERS_VERSION, Plan, Root, differences
from tests.core.positions import positions

START_ID = "4HPwATDgc/ABMA"
START = Root(parse(START_ID))
OPENING = Root(parse("start"))
ROLLED = Root(replace(parse(START_ID), roll=(3, 1)))
OTHER = Root(parse("sGfwATDgc/ABMA"))


def plan(*roots, **options):
    return Plan(roots=roots or (START,), **options)


# --- names and hashes -----------------------------------------------------------------------------


def test_equal_plans_have_one_name():
    here = plan(START, OTHER, trials=100, policy="random")
    there = Plan(policy="random", trials=100, roots=(Root(parse(START_ID)), Root(parse("sGfwATDgc/ABMA"))))
    assert here == there
    assert hash(here) == hash(there)
    assert here.plan_id == there.plan_id
    assert here.json == there.json


def test_saying_a_default_changes_nothing():
    said = plan(opponent_policy="net", policy="net", trials=1296, seed=0, max_plies=MAX_PLIES)
    assert said.plan_id == plan().plan_id


CHANGES = {
    "trials": {"trials": 1297},
    "seed": {"seed": 1},
    "large seed": {"seed": 2**32},
    "policy": {"policy": "random"},
    "opponent": {"opponent_policy": "random"},
    "stratified": {"stratified": True},
    "plies": {"max_plies": 100},
    "position": {"roots": (OTHER,)},
    "roll": {"roots": (ROLLED,)},
    "roll the other way": {"roots": (Root(replace(parse(START_ID), roll=(1, 3))),)},
    "opening": {"roots": (OPENING,)},
    "name": {"roots": (replace(START, name="a"),)},
    "rules": {"roots": (Root(parse(START_ID, rules="cubeless")),)},
    "two": {"roots": (START, OTHER)},
    "two, turned": {"roots": (OTHER, START)},
    "nothing": {},
}


def test_whatever_decides_a_number_or_a_row_decides_the_name():
    ids = {name: Plan(**{"roots": (START,), **change}).plan_id for name, change in CHANGES.items()}
    assert len(set(ids.values())) == len(ids)


@pytest.mark.slow
def test_the_name_is_the_same_in_every_process():
    """Not built on Python's own hash, which is salted anew in each."""
    code = (
        "from bgsim.core.notation import parse; from bgsim.run.plan import Plan, Root; "
        f"print(Plan(roots=(Root(parse({START_ID!r})),)).plan_id, Root(parse('start')).stream)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [plan().plan_id, str(OPENING.stream)]


def test_plan_id_is_sixteen_hexadecimal_digits():
    assert len(plan().plan_id) == 16
    assert int(plan().plan_id, 16) >= 0


def test_json_holds_the_plan():
    stored = json.loads(plan(START, OTHER, seed=2**64 - 1, opponent_policy="random").json)
    assert stored["numbers_version"] == NUMBERS_VERSION
    assert stored["seed"] == 2**64 - 1
    assert (stored["policy"], stored["opponent_policy"]) == ("net", "random")
    assert [root["xgid"] for root in stored["roots"]] == [START.state.xgid, OTHER.state.xgid]
    assert stored == plan(START, OTHER, seed=2**64 - 1, opponent_policy="random").to_dict()


def test_hypergammon_and_a_late_bear_off_are_different_roots():
    """The XGID has no number of checkers: three left of 15, or all three of hypergammon."""
    points = {24: 1, 23: 1, 22: 1}
    late, hyper = (
        Root(GameState(Position.from_points(points, points, checkers=checkers))) for checkers in (15, 3)
    )
    assert late.state.xgid == hyper.state.xgid
    assert plan(late).plan_id != plan(hyper).plan_id
    assert late.stream != hyper.stream


# --- streams of dice ------------------------------------------------------------------------------


def test_the_stream_is_that_of_the_position_alone():
    """So rows in another order, variants of the rules and given rolls share the dice."""
    alike = [START, OPENING, ROLLED, replace(START, name="x"), Root(parse(START_ID, rules="match:7"))]
    assert len({root.stream for root in alike}) == 1
    assert plan(OTHER, START).kernel_roots().streams.tolist() == [OTHER.stream, START.stream]
    assert plan(START, OTHER).kernel_roots().streams.tolist() == [START.stream, OTHER.stream]


@given(positions(), positions())
def test_other_positions_have_other_streams(one, other):
    assert (Root(GameState(one)).stream == Root(GameState(other)).stream) == (one == other)


def test_the_other_player_on_roll_has_other_dice():
    position = Position.from_gnubg_id("sGfwATDgc/ABMA")
    assert Root(GameState(position)).stream != Root(GameState(position.swapped())).stream


# --- trials ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "plain", "opening"),
    [
        (1, 36, 30),
        (30, 36, 30),
        (31, 36, 60),
        (36, 36, 60),
        (37, 72, 60),
        (1000, 1008, 1020),
        (1296, 1296, 1320),
    ],
)
def test_stratified_dice_round_trials_up(asked, plain, opening):
    """To whole cycles: 36 first rolls, 30 of an opening, 36 when the roll is given (the next one counts)."""
    stratified = plan(START, OPENING, ROLLED, trials=asked, stratified=True)
    assert [stratified.trials_of(root) for root in stratified.roots] == [plain, opening, plain]
    opening_with_roll = Root(replace(OPENING.state, roll=(3, 1), opening=False))
    assert stratified.trials_of(opening_with_roll) == plain
    unrounded = plan(START, OPENING, ROLLED, trials=asked)
    assert [unrounded.trials_of(root) for root in unrounded.roots] == [asked] * 3


# --- the kernels' view ----------------------------------------------------------------------------


def test_kernel_roots_hold_positions_rolls_and_openings():
    roots = plan(START, OPENING, ROLLED, OTHER).kernel_roots()
    assert [unpack(row) for row in roots.boards] == [START.state.position] * 3 + [OTHER.state.position]
    assert roots.dice.tolist() == [[0, 0], [0, 0], [3, 1], [0, 0]]
    assert roots.opening.tolist() == [False, True, False, False]
    assert (roots.boards.dtype, roots.dice.dtype, roots.streams.dtype) == (np.uint64, np.int64, np.uint64)


def test_settings_hold_the_rest():
    ours = plan(
        policy="random", opponent_policy="greedy", seed=2**64 - 1, stratified=True, max_plies=9
    ).settings()
    assert (ours.player.kind, ours.opponent.kind) == (RANDOM, GREEDY)
    assert (int(ours.seed), ours.stratified, ours.max_plies) == (2**64 - 1, True, 9)
    alike = plan(policy="random").settings()
    assert alike.player.kind == alike.opponent.kind == RANDOM


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, -5, 2**48 + 1, 1.5, 36.0, "36", None, True, float("nan")])
def test_trials_that_cannot_be(value):
    with pytest.raises(PlanError, match=r"^trials is .* 1 to 281474976710656 is allowed$"):
        plan(trials=value)


@pytest.mark.parametrize("value", [-1, 2**64, 10**30, 0.0, "0", None, False])
def test_seeds_that_cannot_be(value):
    with pytest.raises(PlanError, match=r"^seed is .* 0 to 18446744073709551615 is allowed$"):
        plan(seed=value)


@pytest.mark.parametrize("value", [0, -1, MAX_PLIES + 1, 2.0])
def test_limits_of_plies_that_cannot_be(value):
    with pytest.raises(PlanError, match=r"^max_plies is .* 1 to 10000 is allowed$"):
        plan(max_plies=value)


@pytest.mark.parametrize("value", ["no", 1, None, np.True_])
def test_stratified_is_yes_or_no(value):
    with pytest.raises(PlanError, match=r"^stratified is .*: true or false is allowed$"):
        plan(stratified=value)


@pytest.mark.parametrize("limits", [{"trials": 2**48}, {"seed": 2**64 - 1}, {"max_plies": MAX_PLIES}])
def test_the_largest_values_are_allowed(limits):
    assert plan(**limits).to_dict().items() >= limits.items()


def test_numpy_integers_are_whole_numbers():
    assert plan(trials=np.int64(72), seed=np.uint64(2**63)).plan_id == plan(trials=72, seed=2**63).plan_id


@pytest.mark.parametrize("options", [{"policy": "gredy"}, {"opponent_policy": "gredy"}])
def test_unknown_policies_name_the_nearest(options):
    with pytest.raises(PolicyError, match=r"'gredy' \(did you mean 'greedy'\?\); use one of: random, greedy"):
        plan(**options)


def test_no_positions():
    with pytest.raises(PlanError, match="no position"):
        Plan(roots=())


def test_rules_not_yet_played():
    with pytest.raises(RulesError):
        plan(Root(parse("dutch", rules="dutch")))


@pytest.mark.parametrize("dice", ["D", "B", "R"])
def test_an_offered_double_waits_for_an_answer(dice):
    state = parse(f"XGID=-b----E-C---eE---c-e----B-:0:0:1:{dice}:0:0:3:0:10")
    with pytest.raises(PlanError, match="waits for an answer to a double"):
        plan(Root(state))


@given(st.integers())
def test_any_whole_number_is_a_seed_or_refused_in_one_line(seed):
    if 0 <= seed < 2**64:
        assert plan(seed=seed).settings().seed == seed
    else:
        with pytest.raises(PlanError, match=r"^seed is .* is allowed$"):
            plan(seed=seed)


# --- how two plans differ -------------------------------------------------------------------------


def told(one, other):
    return differences(one.to_dict(), other.to_dict())


def test_equal_plans_do_not_differ():
    assert told(plan(), plan()) == []


def test_every_difference_is_told():
    assert told(plan(trials=36, seed=1), plan(trials=72, seed=2)) == [
        "seed is 1 there and 2 here",
        "trials is 36 there and 72 here",
    ]
    assert told(plan(), plan(START, OTHER)) == ["it has 1 positions, not 2"]
    assert told(plan(START, START), plan(START, OTHER)) == ["position 2 differs in xgid"]
    assert told(plan(START), plan(OPENING)) == ["position 1 differs in opening"]


def test_a_plan_of_another_version_differs():
    older = plan().to_dict()
    del older["max_plies"]
    assert differences(older, plan().to_dict()) == [f"max_plies is None there and {MAX_PLIES} here"]
