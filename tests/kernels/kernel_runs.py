"""Running the rollout kernel in tests: settings, roots and single trials with few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bgsim.core.position import Position
from bgsim.engine.batch import BatchTask, run_batch
from bgsim.engine.boards import pack
from bgsim.engine.policies import players_of
from bgsim.kernels.playout import Roots, Settings
from bgsim.kernels.rollout import run_segments
from tests.kernels.replay import Start

START_ID = "4HPwATDgc/ABMA"
PLIES, VALUE = 7, 13  # columns of a record's sums: the points are the last
NOBODY = players_of("random").players[0]
POINTS = (1, 2, 3, -1, -2, -3, 0)


def settings(
    policy: str | int = "random",
    other: str | int | None = None,
    *,
    seed: int = 0,
    stratified: bool = False,
    max_plies: int = 10_000,
) -> Settings:
    """Settings by policy name, or by number for policies that only a seam knows."""
    own, theirs = (
        players_of(name).players[0] if isinstance(name, str) else NOBODY._replace(kind=name)
        for name in (policy, policy if other is None else other)
    )
    return Settings(np.uint64(seed), own, theirs, stratified, max_plies)


def roots(*starts: Start) -> Roots:
    """Kernel roots of these starts (whose seed and stratification belong to the settings)."""
    return Roots(
        boards=pack([Position(*start.board) for start in starts]),
        dice=np.array([start.roll or (0, 0) for start in starts], np.int64),
        opening=np.array([start.opening for start in starts], np.bool_),
        streams=np.array([start.stream for start in starts], np.uint64),
        swapped=np.zeros(len(starts), np.bool_),
    )


def records(
    settings: Settings,
    roots: Roots,
    segments: Sequence[tuple[int, int, int]],
    *,
    group_size: int = 1,
    policies: tuple[str, str] = ("random", "random"),  # those of the settings, if they have nets
    kernel: Any = run_segments,
    stop: Any = None,
) -> Any:
    """Records of segments (first root, first trial, trials)."""
    rows = np.array(segments, np.int64)
    task = BatchTask(settings, policies, roots, group_size, rows, rows[:, 0] // group_size)
    return run_batch(task, stop, kernel).records


def single_trials(
    settings: Settings, start: Start, trials: Sequence[int], *, kernel: Any = run_segments
) -> list[tuple[int, int, int]]:
    """(outcome, plies, value in 2^-32 points) of each of these trials."""
    found = records(settings, roots(start), [(0, trial, 1) for trial in trials], kernel=kernel)
    rows = [record["sums"][0].tolist() for record in found]
    assert [sum(row[:7]) for row in rows] == [1] * len(trials)
    return [(row.index(1), row[PLIES], row[VALUE]) for row in rows]


def product(pair: Any) -> int:
    """The 128-bit number of a (high, low) pair."""
    return (int(pair[0]) << 64) + (int(pair[1]) & (2**64 - 1))
