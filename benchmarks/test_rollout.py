"""Rollouts as a user asks for them: what plan, threads, sums and statistics add to the games themselves."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import bgsim
from benchmarks.clock import cpu_seconds
from benchmarks.corpus import corpus
from bgsim.apps.rollout import RolloutRun, run_rollout
from bgsim.run.plan import Plan, Root

pytestmark = pytest.mark.benchmark(group="rollout", timer=cpu_seconds)

TRIALS = 1296
CONTACT = slice(None, None, 10)  # 60 of the contact positions
TRIALS_OF_EACH = 36


@pytest.mark.parametrize("policy", ["random", "greedy", "net"])
def test_one_position(benchmark: BenchmarkFixture, policy: str) -> None:
    """One thread, whose CPU time is all there is."""

    def roll_out() -> bgsim.RolloutResult:
        return bgsim.rollout("start", policy=policy, trials=TRIALS, workers=1)

    result = roll_out()
    assert (result.trials, result.truncated_trials) == (TRIALS, 0)
    benchmark.extra_info["trials"] = TRIALS
    assert benchmark.pedantic(roll_out, rounds=5) == result


@pytest.mark.parametrize("workers", [1, 2])
def test_many_positions(benchmark: BenchmarkFixture, workers: int) -> None:
    """Few trials each, so that the cost of a position counts; two threads give the same numbers."""
    roots = tuple(Root(bgsim.parse(position.gnubg_id)) for position in corpus()["nn"][CONTACT])
    plan = Plan(roots=roots, trials=TRIALS_OF_EACH)

    def roll_out() -> RolloutRun:
        return run_rollout(plan, workers=workers)

    run = run_rollout(plan)
    assert run.trials_played == len(roots) * TRIALS_OF_EACH
    benchmark.extra_info["trials"] = run.trials_played
    assert benchmark.pedantic(roll_out, rounds=5).results == run.results
