"""`bgsim.rollout` as Python users call it: states and texts mean the same, mistakes are sentences."""

from __future__ import annotations

import numpy as np
import pytest

import bgsim
from bgsim.engine.batch import BatchTask, record_type, run_batch
from bgsim.kernels.rollout import run_segments
from bgsim.run.parts import PartStore
from bgsim.run.plan import Plan, Root

TRIALS = 12


@pytest.mark.parametrize("text", ["start", "hypergammon", "nackgammon", "4HPwATDgc/ABMA"])
@pytest.mark.parametrize("options", [{}, {"opening": False}, {"opening": True}, {"rules": "cubeless"}])
def test_a_state_means_what_its_text_means(text, options):
    """The set-up's checkers and its opening are in no id: a state must not go through one."""
    if text in ("hypergammon", "nackgammon") and "rules" in options:
        options = {"rules": f"{text},jacoby=off"}
    from_text = bgsim.rollout(text, trials=TRIALS, **options)
    from_state = bgsim.rollout(bgsim.parse(text), trials=TRIALS, **options)
    assert from_state == from_text  # whose cubeless rules would be the standard set-up's
    assert from_state.trials == TRIALS
    assert from_state.opening == from_text.opening


SCORED = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:6:1:7:10"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("4HPwATDgc/ABMA", "nackgammon"),
        ("nackgammon", "money"),
        ("nackgammon", "match:5"),
        ("hypergammon", "cubeless"),
        (SCORED, "match:7,crawford=off"),
        (SCORED, "match:9"),
        (SCORED, "money"),
        ("4HPwATDgc/ABMA", bgsim.Rules(match_length=3)),
    ],
)
def test_rules_do_to_a_state_what_they_do_to_its_text(text, rules):
    options = {"rules": rules, "trials": TRIALS}
    assert bgsim.rollout(bgsim.parse(text), **options) == bgsim.rollout(text, **options)


def test_rules_keep_the_set_up_of_a_state():
    """Off its opening too: three checkers stay a game of three checkers."""
    state = bgsim.parse("hypergammon", opening=False)
    assert bgsim.rollout(state, rules="cubeless", trials=36).rules.startswith("hypergammon,")
    result = bgsim.rollout(bgsim.parse(SCORED), rules="match:7,crawford=off", trials=36)
    assert result.xgid == SCORED.replace(":1:7:10", ":0:7:10")


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("start", "nackgammon"),  # at its opening, which those rules begin elsewhere
        ("4HPwATDgc/ABMA", "hypergammon"),  # 15 checkers
        ("nackgammon", "longgammon"),
        ("hypergammon", "dutch"),
    ],
)
def test_rules_that_do_not_fit_a_state_are_refused(text, rules):
    with pytest.raises(bgsim.BgsimError, match="does not fit the rules"):
        bgsim.rollout(bgsim.parse(text), rules=rules, trials=36)


def test_a_position_is_a_money_game():
    position = bgsim.parse("4HPwATDgc/ABMA").position
    assert bgsim.rollout(position, trials=TRIALS) == bgsim.rollout("4HPwATDgc/ABMA", trials=TRIALS)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"position": 5}, "not int"),
        ({"position": None}, "not NoneType"),
        ({"position": "start", "batch": 1.5}, "batch is 1.5"),
        ({"position": "start", "workers": 1.5}, "1.5 workers cannot be"),
        ({"position": "start", "workers": "2"}, "'2' workers cannot be"),
        ({"position": "start", "policy": ["greedy"]}, "unknown policy ['greedy']"),
        ({"position": "start", "policy": None}, "unknown policy None"),
        ({"position": "start", "executor": None}, "unknown executor None"),
        ({"position": "start", "rules": 5}, "not int"),
        ({"position": "start", "opening": 5}, "opening is 5, true or false is needed"),
        ({"position": "start", "opening": "no"}, "opening is 'no', true or false is needed"),
    ],
)
def test_wrong_arguments_are_sentences(arguments, says):
    position = arguments.pop("position")
    with pytest.raises(bgsim.BgsimError) as caught:
        bgsim.rollout(position, trials=1, **arguments)
    assert says in str(caught.value)


START = bgsim.parse("start").position


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: bgsim.perft("start", 2), "not str"),
        (lambda: bgsim.perft(START, 0), "depth is 0: a whole number from 1 to 100 is allowed"),
        (lambda: bgsim.perft(START, "2"), "depth is '2'"),
        (lambda: bgsim.perft(START, True), "depth is True"),
        (lambda: bgsim.parse(None), "not NoneType"),
        (lambda: bgsim.parse(b"start"), "not bytes"),
        (lambda: bgsim.parse("start", rules=5), "rules are a text such as 'match:7' or a Rules, not int"),
        (lambda: bgsim.parse("start", opening=5), "opening is 5"),
        (lambda: bgsim.parse_roll(63), "63 is no roll: write two dice"),
        (lambda: bgsim.GameState("start"), "position is 'start', a Position is needed"),
        (lambda: bgsim.GameState(START, rules="money", opening=1), "rules is 'money', a Rules is needed; o"),
        (lambda: bgsim.GameState(START, 63), "the roll is 63, two dice from 1 to 6"),
        (lambda: bgsim.GameState(START, ("6", "3"), opening=True), "the roll is ('6', '3'), two dice"),
        (lambda: bgsim.GameState(START, resigned="1"), "the resignation is 1"),
        (lambda: bgsim.read_table(5), "a file is named by a text or a Path, not by int"),
    ],
)
def test_wrong_kinds_are_sentences_at_every_door(call, says):
    with pytest.raises(bgsim.BgsimError) as caught:
        call()
    assert says in str(caught.value)


@pytest.mark.parametrize("roll", [31, (True, 3), (3,), "31", (3, 1, 1), None])
def test_wrong_rolls_are_sentences(roll):
    with pytest.raises(bgsim.BgsimError, match="two dice from 1 to 6"):
        bgsim.legal_plays(bgsim.parse("start").position, roll)


def test_plays_of_a_state_are_refused_by_name():
    with pytest.raises(bgsim.PositionError, match="not GameState"):
        bgsim.legal_plays(bgsim.parse("start"), (3, 1))


def test_read_only_arrays_are_no_other_kernel():
    """What comes through Ray is read-only: numba would compile the kernel a second time, in each worker."""
    plan = Plan(roots=(Root(bgsim.parse("start")),))
    segments = np.array([[0, 0, 3]], np.int64)
    task = BatchTask(
        plan.settings(), plan.two_policies, plan.kernel_roots(), 1, segments, np.zeros(1, np.int64)
    )
    expected = run_batch(task).records
    known = len(run_segments.signatures)
    for array in (*task.roots, task.segments):
        array.setflags(write=False)
    flag = np.zeros(1, np.uint8)
    flag.setflags(write=False)
    assert np.array_equal(run_batch(task, stop=flag).records, expected)
    assert len(run_segments.signatures) == known


def test_a_part_of_nothing_is_not_written(tmp_path):
    """A task that began after a stop has no records."""
    store = PartStore(tmp_path / "x.parquet.parts", Plan(roots=(Root(bgsim.parse("start")),)))
    store.add(np.zeros(0, record_type(1)))
    store.flush()
    assert not store.exists()


def test_a_view_is_read_off_the_result_itself():
    """The top player is on roll: the bottom player's figures are the other's, turned."""
    result = bgsim.rollout("XGID=-b---BD-B---eE---c-e----B-:0:0:-1:00:0:0:3:0:10", trials=TRIALS)
    assert result.seen_from("on_roll") is result
    assert result.seen_from("bottom") == result.turned()
    bottom = bgsim.rollout("XGID=-b---BD-B---eE---c-e----B-:0:0:1:00:0:0:3:0:10", trials=TRIALS)
    assert bottom.seen_from("bottom") is bottom
