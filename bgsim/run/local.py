"""Threads of this process: the kernels release the GIL."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from types import TracebackType
from typing import Self, TypeVar

__all__ = ["LocalExecutor", "usable_cores"]

Task = TypeVar("Task")
Result = TypeVar("Result")

POLL_SECONDS = 0.1  # how often a cancel is looked for
QUEUED_PER_WORKER = 2  # one running, one waiting: no worker waits for the driver


def usable_cores() -> int:
    """How many cores this process may use (its affinity, where the system says)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalExecutor:
    """An executor of `workers` threads (default: one for each usable core)."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or usable_cores()
        self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="bgsim")

    def prepare(self, function: Callable[[], object]) -> None:
        """Run it once: threads share what it loads."""
        function()

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        cancelled: Callable[[], bool],
    ) -> Iterator[Result]:
        """Yield results in completion order; see `Executor.map`."""
        coming = iter(tasks)
        running: set[Future[Result]] = set()
        while True:
            if cancelled():
                running -= {future for future in running if future.cancel()}
            else:
                room = self.workers * QUEUED_PER_WORKER - len(running)
                running |= {self._pool.submit(function, task) for task in islice(coming, room)}
            if not running:
                return
            done, running = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
