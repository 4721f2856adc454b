"""What a run asks of an executor, and the choice of one."""

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Protocol, Self, TypeVar

from bgsim.core.errors import ExecutorError, did_you_mean
from bgsim.core.numbers import whole_within

__all__ = ["EXECUTORS", "Executor", "make_executor"]

Task = TypeVar("Task")
Result = TypeVar("Result")

EXECUTORS = ("local", "ray")
MAX_WORKERS = 100_000


class Executor(Protocol):
    """Runs a function over tasks on several workers; knows nothing of the game.

    `map` yields results in completion order and asks for the next task only when a worker will soon be
    free, so tasks may be made as late as possible. Once `cancelled()` is true it asks for no more, lets go
    of what runs and yields what was finished.
    """

    workers: int

    def prepare(self, function: Callable[[], object]) -> None:
        """Have every worker run this once before the work: what it loads is then there."""

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        cancelled: Callable[[], bool],
    ) -> Iterator[Result]: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def make_executor(name: str, *, workers: int | None = None, address: str | None = None) -> Executor:
    """Return the executor of that name; workers None = one for each core that this process may use.

    Raises:
        ExecutorError: no such executor, an impossible number of workers, an address that is not Ray's.
    """
    if workers is not None and whole_within(workers, 1, MAX_WORKERS) is None:
        raise ExecutorError(
            f"{workers!r} workers cannot be: a whole number from 1 to {MAX_WORKERS} is allowed"
        )
    if name == "local":
        from bgsim.run.local import LocalExecutor

        if address:
            raise ExecutorError(f"--address {address} is for the ray executor: add --executor ray")
        return LocalExecutor(workers)
    if name == "ray":
        from bgsim.run.ray import RayExecutor

        return RayExecutor(workers, address)
    allowed = ", ".join(EXECUTORS)
    raise ExecutorError(
        f"unknown executor {name!r}{did_you_mean(str(name), EXECUTORS)}; use one of: {allowed}"
    )
