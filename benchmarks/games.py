"""Full games from the start, one policy on both sides, through `run_batch` on one thread."""

from typing import NamedTuple

import numpy as np

from bgsim.core.notation import parse
from bgsim.engine.batch import BatchTask, Records, run_batch
from bgsim.kernels.playout import OUTCOMES, TRUNCATED
from bgsim.kernels.rollout import PLIES
from bgsim.run.plan import Plan, Root

__all__ = ["Games", "play_games", "play_records"]


class Games(NamedTuple):
    """Games that were played to their end, and the turns in them (lost turns too)."""

    games: int
    turns: int


def play_records(
    policy: str, games: int, *, first: int = 0, seed: int = 1, position: str = "start"
) -> Records:
    """The one record of the games number first .. first + games - 1 of a seed."""
    plan = Plan(roots=(Root(parse(position)),), policy=policy, trials=games, seed=seed, settle=False)
    task = BatchTask(
        settings=plan.settings(),
        policies=plan.two_policies,
        roots=plan.kernel_roots(),
        group_size=1,
        segments=np.array([[0, first, games]], np.int64),
        groups=np.zeros(1, np.int64),
    )
    return run_batch(task).records


def play_games(policy: str, games: int, *, first: int = 0, seed: int = 1) -> Games:
    """Play games and count those with a winner."""
    sums = play_records(policy, games, first=first, seed=seed)["sums"][0, 0]
    return Games(int(sums[:OUTCOMES].sum() - sums[TRUNCATED]), int(sums[PLIES]))
