"""Carrying out a plan: cutting it into tasks, feeding an executor, adding up, keeping what is finished."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bgsim.core.errors import PlanError
from bgsim.core.numbers import whole_within
from bgsim.engine.batch import MAX_BATCH_TRIALS, BatchResult, BatchTask, run_batch
from bgsim.engine.policies import players_of
from bgsim.kernels.playout import Roots, Settings
from bgsim.run.executor import Executor
from bgsim.run.ledger import Ledger
from bgsim.run.plan import Plan

if TYPE_CHECKING:
    from bgsim.run.parts import PartStore  # pyarrow: 0.1 s that a run without a table need not pay

__all__ = ["Stop", "beside", "check_batch", "run_plan", "warm_kernels"]

Work = TypeVar("Work")

BATCH_SECONDS = 0.3  # a stop takes effect within this, and overhead stays below a percent
FIRST_BATCH = 64  # trials, before any speed is known

Segment = tuple[int, int, int]  # group, first trial, trials


class Stop:
    """A request to stop, seen by the driver's loop and by the kernels of this process."""

    def __init__(self) -> None:
        self.flag = np.zeros(1, np.uint8)

    def request(self) -> None:
        """Ask for a stop: kernels end after the trial in play."""
        self.flag[0] = 1

    def requested(self) -> bool:
        """True once a stop was asked for."""
        return bool(self.flag[0])

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Turn Ctrl-C and SIGTERM into a request while the block runs; a second one acts as usual."""
        if threading.current_thread() is not threading.main_thread():
            yield  # only the main thread may set handlers
            return
        kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

        def handle(number: int, frame: FrameType | None) -> None:
            self.request()
            signal.signal(number, kept[signal.Signals(number)])

        for number in kept:
            signal.signal(number, handle)
        try:
            yield
        finally:
            for number, handler in kept.items():
                signal.signal(number, handler)


def check_batch(batch: object) -> None:
    """Raise PlanError unless this may be the trials of a task; None leaves them to the speed."""
    if batch is not None and whole_within(batch, 1, MAX_BATCH_TRIALS) is None:
        raise PlanError(f"batch is {batch!r}: a whole number from 1 to {MAX_BATCH_TRIALS} is allowed")


class BatchSizer:
    """Trials for the next task: what a worker does in 0.3 s, less near the end so that all end together."""

    def __init__(self, fixed: int | None, workers: int) -> None:
        check_batch(fixed)
        self._fixed = fixed
        self._workers = workers
        self._rate = 0.0  # trials a second of one worker

    def size(self, remaining: int) -> int:
        """Trials of the next task when so many are still to be handed out."""
        if self._fixed is not None:
            return self._fixed
        if self._rate == 0.0:
            return FIRST_BATCH
        share = -(-remaining // (2 * self._workers))
        return max(1, min(int(self._rate * BATCH_SECONDS), max(share, FIRST_BATCH), MAX_BATCH_TRIALS))

    def learn(self, trials: int, seconds: float) -> None:
        """Note how long a task took."""
        if seconds > 0.0 and trials > 0:
            rate = trials / seconds
            self._rate = rate if self._rate == 0.0 else 0.7 * self._rate + 0.3 * rate


def _segments(plan: Plan, ledger: Ledger) -> Iterator[Segment]:
    """What is still to be played, in plan order."""
    for group, totals in enumerate(ledger.totals):
        for first, end in totals.missing(plan.trials_of(plan.roots[group * ledger.group_size])):
            yield group, first, end - first


def _cut(segments: Iterator[Segment], remaining: int, sizer: BatchSizer) -> Iterator[list[Segment]]:
    """Segments regrouped into tasks of the size wanted at the moment each is asked for."""
    task: list[Segment] = []
    room = sizer.size(remaining)
    for group, at, left in segments:
        while left > 0:
            taken = min(left, room)
            task.append((group, at, taken))
            at, left, room, remaining = at + taken, left - taken, room - taken, remaining - taken
            if room == 0:
                yield task
                task, room = [], sizer.size(remaining)
    if task:
        yield task


def _task(plan: Plan, roots: Roots, k: int, segments: list[Segment]) -> BatchTask:
    """One task with only the roots that it needs."""
    groups = sorted({group for group, _, _ in segments})
    rows = np.array([group * k + j for group in groups for j in range(k)], np.int64)
    place = {group: number * k for number, group in enumerate(groups)}
    return BatchTask(
        settings=plan.settings(),
        policies=plan.two_policies,
        tables=tuple(plan.tables),
        roots=Roots(*(array[rows] for array in roots)),
        group_size=k,
        segments=np.array([(place[group], first, n) for group, first, n in segments], np.int64),
        groups=np.array([group for group, _, _ in segments], np.int64),
    )


def run_plan(
    plan: Plan,
    executor: Executor,
    ledger: Ledger,
    *,
    store: "PartStore | None" = None,
    batch: int | None = None,
    stop: Stop | None = None,
    listener: Callable[[int], None] | None = None,
    kernel: Any = None,
) -> bool:
    """Play what the ledger lacks of the plan; returns True when all of it is done, False after a stop.

    Finished segments are added to the ledger and the store as they come. `batch` fixes the trials of a task;
    it never changes a number. `listener` is told the trials of each finished task.
    """
    stop = stop or Stop()
    sizer = BatchSizer(batch, executor.workers)
    segments = list(_segments(plan, ledger))
    roots = plan.kernel_roots()
    remaining = sum(trials for _, _, trials in segments)
    tasks = (_task(plan, roots, ledger.group_size, cut) for cut in _cut(iter(segments), remaining, sizer))
    function = partial(run_batch, stop=stop.flag)
    if kernel is not None:
        function = partial(function, kernel=kernel)
    try:
        with stop.on_signals():
            for result in executor.map(function, tasks, stop.requested):
                trials = ledger.add(result.records)
                sizer.learn(trials, result.seconds)
                if store is not None:
                    store.add(result.records)
                if listener is not None:
                    listener(trials)
    finally:
        stop.request()  # an error elsewhere must not leave threads at work
        if store is not None:
            store.flush()
    return not any(True for _ in _segments(plan, ledger))


def beside(work: Callable[[], Work]) -> Work:
    """Return what `work` returns; it runs in a thread of its own, so that Ctrl-C reaches the caller at once.

    In this thread an interrupt would come out of Numba's compiler as some other error, and out of a kernel
    only at its end.
    """
    done: Future[Work] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    # No daemon: the end of the interpreter must not pull the ground from under the compiler.
    threading.Thread(target=run, name="bgsim-beside").start()
    return done.result()


def warm_kernels() -> float:
    """Compile what a rollout needs, or load it from the cache; returns the seconds it took."""
    return beside(_play_one_trial)


def _play_one_trial() -> float:
    roots = Roots(
        boards=np.array([[1 << 1, 0, 1 << 1, 0]], np.uint64),  # one checker each on the ace point
        dice=np.zeros((1, 2), np.int64),
        opening=np.zeros(1, np.bool_),
        streams=np.zeros(1, np.uint64),
        swapped=np.zeros(1, np.bool_),
    )
    policies = "random", "random"
    player, opponent = players_of(*policies).players
    settings = Settings(np.uint64(0), player, opponent, False, 1)
    task = BatchTask(settings, policies, roots, 1, np.array([[0, 0, 1]], np.int64), np.zeros(1, np.int64))
    result: BatchResult = run_batch(task)
    return result.seconds
