"""The only unit of work: some trials of some roots, done by one worker, summed in integers."""

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bgsim.engine.policies import OUTCOME_VALUES, Players, players_of
from bgsim.engine.tables import Loaded, tables_of
from bgsim.kernels.board import MAX_RESULTS
from bgsim.kernels.playout import Roots, Settings, Workspace
from bgsim.kernels.rollout import MAX_BATCH_TRIALS, SUMS, VALUES, run_segments

__all__ = ["MAX_BATCH_TRIALS", "BatchResult", "BatchTask", "record_type", "run_batch"]

Integers = npt.NDArray[np.int64]
Records = npt.NDArray[np.void]

_thread = threading.local()
KEPT_WORKSPACES = 4


@dataclass(frozen=True, slots=True)
class BatchTask:
    """Segments of trials to be played; everything a worker needs.

    `roots` holds groups of `group_size` roots that share dice, one group after another. A row of `segments`
    (int64[m, 3]) is the first root of its group within `roots`, the first trial, and the number of trials;
    `groups` (int64[m]) are the plan's numbers of these groups.
    """

    settings: Settings
    policies: tuple[str, str]  # of both seats; the nets that the players in the settings mean
    roots: Roots
    group_size: int
    segments: Integers
    groups: Integers
    tables: tuple[str, ...] = ()  # names of exact tables


@dataclass(frozen=True, slots=True)
class BatchResult:
    """One record (`record_type`) a segment with at least one finished trial, and the seconds it took."""

    records: Records
    seconds: float


def record_type(group_size: int) -> np.dtype[np.void]:
    """Structured dtype of a finished segment; integers only, so that adding records up has one right answer.

    sums: counts of the outcomes, plies and values (2^-32) a root, see `bgsim.kernels.rollout`. squares:
    128-bit sums of squared values (2^-64) as (high, low); products: of products of the roots' points.
    """
    return np.dtype(
        [
            ("group", np.int64),
            ("first_trial", np.int64),
            ("trials", np.int64),
            ("sums", np.int64, (group_size, SUMS)),
            ("squares", np.int64, (group_size, VALUES, 2)),
            ("products", np.int64, (group_size, group_size, 2)),
        ]
    )


def _workspace(group_size: int, players: Players, tables: Loaded) -> Workspace:
    """This thread's scratch arrays for these players and tables; the last few live as long as the thread."""
    kept: dict[tuple[int, int, int], tuple[object, Workspace]]
    kept = _thread.__dict__.setdefault("workspaces", {})
    key = group_size, id(players), id(tables)
    if key not in kept:
        if len(kept) >= KEPT_WORKSPACES:
            del kept[next(iter(kept))]
        workspace = Workspace(
            evaluator=players.evaluator(tables),
            board=np.zeros(4, np.uint64),
            results=np.zeros((MAX_RESULTS, 4), np.uint64),
            scores=np.zeros(MAX_RESULTS, np.int64),
            turned=np.zeros((1, 4), np.uint64),
            chances=np.zeros((1, 5), np.int64),
            permutation=np.zeros(36, np.int64),
            outcome_values=OUTCOME_VALUES,
            values=np.zeros((group_size, VALUES), np.int64),
        )
        kept[key] = (players, tables), workspace  # these too, or another's id could be the same
    return kept[key][1]


def run_batch(
    task: BatchTask, stop: npt.NDArray[np.uint8] | None = None, kernel: Any = run_segments
) -> BatchResult:
    """Play a task's segments; a raised `stop` flag (uint8[1]) ends it after the trial in play.

    What was finished before a stop is a complete record of fewer trials, so nothing is lost. `kernel` is
    the seam for a caller's own kernel (kernels/custom.py).
    """
    started = time.perf_counter()
    m, k = len(task.segments), task.group_size
    sums = np.zeros((m, k, SUMS), np.int64)
    squares = np.zeros((m, k, VALUES, 2), np.int64)
    products = np.zeros((m, k, k, 2), np.int64)
    done = np.zeros(m, np.int64)
    # Arrays that came through Ray are read-only, which to numba is another type: it would compile again.
    roots = Roots(*(np.require(array, requirements=["C", "W"]) for array in task.roots))
    segments = np.require(task.segments, requirements=["C", "W"])
    flag = np.require(np.zeros(1, np.uint8) if stop is None else stop, requirements=["C", "W"])
    workspace = _workspace(k, players_of(*task.policies), tables_of(task.tables))
    kernel(task.settings, roots, segments, workspace, flag, sums, squares, products, done)
    records = np.zeros(m, record_type(k))
    records["group"] = task.groups
    records["first_trial"] = task.segments[:, 1]
    records["trials"] = done
    records["sums"] = sums
    records["squares"] = squares
    records["products"] = products
    return BatchResult(records[done > 0], time.perf_counter() - started)
