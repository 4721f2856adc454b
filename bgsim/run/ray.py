"""Ray workers, on this machine or on a cluster: the only module that imports ray."""

import contextlib
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from bgsim.core.errors import BgsimError, ExecutorError
from bgsim.run.local import POLL_SECONDS, QUEUED_PER_WORKER, usable_cores
from bgsim.run.provenance import build

__all__ = ["RayExecutor"]

Task = TypeVar("Task")
Result = TypeVar("Result")

OBJECT_STORE_BYTES = 128 << 20  # a batch and its record are a few kilobytes
MAX_RETRIES = 5  # a worker that dies with its batch: played again elsewhere, counted once
CONNECT_SECONDS = 5.0
HTTP2_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])  # and empty settings
HTTP2_SETTINGS = 4  # type of the frame that an HTTP/2 server sends first

# Set before ray is imported: no usage report, no warning about accelerators nobody asked for, and nothing
# of dead workers, which Ray prints on stdout, in the midst of our JSON.
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": "^",
}
# A cluster that has answered once and then turns us away will do so 20 times, a second each.
PATIENCE = {"RAY_NUM_REDIS_GET_RETRIES": "3"}


class RayExecutor:
    """An executor of Ray tasks of one core each.

    Without an address it starts a Ray of its own with `workers` cores and shuts that down at the end; with
    one it uses the cluster there, and leaves it running. Where the caller has connected this process to Ray,
    it uses that connection and leaves it as it is.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self._address = address
        self._ray: Any = None
        self._owned = address is None
        self._borrowed = False
        self._asked = workers
        self._in_haste = False
        self.workers = workers or usable_cores()

    def __enter__(self) -> Self:
        settings = dict(QUIET)
        if self._address is not None:
            settings |= PATIENCE
            if _check_reachable(self._address) and _has_token():
                settings["RAY_AUTH_MODE"] = "token"
        for name, value in settings.items():
            os.environ.setdefault(name, value)
        try:
            import ray
        except ImportError as error:
            raise ExecutorError(
                f"the ray executor needs the package ray, which cannot be imported: {error}"
            ) from None
        self._ray = ray
        if ray.is_initialized():
            self._borrow()
        elif self._address is None:
            self._start_own()
        else:
            self._connect(self._address)
        return self

    def _borrow(self) -> None:
        """Use the connection that the caller has: a process can have but one."""
        self._borrowed, self._owned = True, False
        if self._address not in (None, "auto"):
            there = self._ray.get_runtime_context().gcs_address
            if self._address != there:
                raise ExecutorError(
                    f"this process uses Ray at {there} already: leave out the address {self._address}, "
                    "or call ray.shutdown() first"
                )
        self._count_cores()

    def _count_cores(self) -> None:
        """Unless told otherwise, have as many workers as the cluster has cores."""
        if self._asked is None:
            self.workers = max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def _start_own(self) -> None:
        try:
            self._ray.init(
                address="local",  # not whatever RAY_ADDRESS points to
                num_cpus=self.workers,
                include_dashboard=False,
                object_store_memory=OBJECT_STORE_BYTES,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        except Exception as error:  # ray raises bare Exceptions and RuntimeErrors here
            raise ExecutorError(f"a local Ray could not be started: {_first_line(error)}") from None

    def _connect(self, address: str) -> None:
        try:
            self._ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except Exception as error:
            unset = address != "auto" and "RAY_AUTH_MODE" not in os.environ
            hint = "; if it asks for a token, set RAY_AUTH_MODE=token" if unset else ""
            raise ExecutorError(f"cannot use Ray at {address}: {_first_line(error)}{hint}") from None
        self._count_cores()

    def prepare(self, function: Callable[[], object]) -> None:
        """Run it on every worker: tasks of one core each, at once, fall on different workers."""
        remote = self._ray.remote(num_cpus=1, max_retries=MAX_RETRIES)(_run)
        running = [remote.remote(build(), function) for _ in range(self.workers)]
        self._ray.wait(running, num_returns=len(running))  # Ray complains of what fails while it shuts down
        self._result(running)

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        cancelled: Callable[[], bool],
    ) -> Iterator[Result]:
        """Yield results in completion order; see `Executor.map`.

        A cancel leaves the tasks at work to their end, which is that of our connection: their kernels cannot
        see the driver's stop flag, and where ray.cancel meets a task that has just finished, Ray 2.60 ends
        the driver.
        """
        remote = self._ray.remote(num_cpus=1, max_retries=MAX_RETRIES)(_call)
        shared = self._ray.put(function)
        coming = iter(tasks)
        running: list[Any] = []
        while True:
            stopping = cancelled()
            if not stopping:
                room = self.workers * QUEUED_PER_WORKER - len(running)
                running += [remote.remote(build(), shared, task) for task in islice(coming, room)]
            if not running:
                return
            patience = 0 if stopping else POLL_SECONDS
            done, running = self._ray.wait(
                running, num_returns=len(running) if stopping else 1, timeout=patience
            )
            for reference in done:
                yield self._result(reference)
            if stopping:
                self._in_haste = True
                return

    def _result(self, reference: Any) -> Any:
        kinds = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except kinds.RayTaskError as error:
            if isinstance(error.cause, BgsimError):
                raise error.cause from None  # as it was raised in the worker, without the worker's traceback
            raise ExecutorError(
                f"a Ray worker failed: {_last_line(error)}; every worker needs {build()}, as here"
            ) from error.cause
        except kinds.WorkerCrashedError as error:
            raise ExecutorError(
                f"a batch ended its worker {MAX_RETRIES + 1} times and was given up: {_first_line(error)}"
            ) from None
        except kinds.RayError as error:
            raise ExecutorError(f"Ray failed in mid-run: {_first_line(error)}") from None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._ray is None or self._borrowed or not self._ray.is_initialized():
            return
        if self._owned and (self._in_haste or kind is not None):
            _kill_without_farewell(self._ray)
        self._ray.shutdown()  # of a cluster given by address this only closes our connection


def _kill_without_farewell(ray: Any) -> None:
    """Have shutdown kill our own Ray's processes at once, not ask each and wait: 0.3 s instead of 1.5.

    It reaches into Ray's private parts; where they have changed, shutdown is as slow as Ray made it.
    """
    with contextlib.suppress(AttributeError):
        node = ray._private.worker._global_node
        kill = node.kill_all_processes
        ours = [entry.process.pid for entries in node.all_processes.values() for entry in entries]

        def kill_all(**_: object) -> None:
            # A raylet that is killed cannot end its own children: the workers go, its agents would stay.
            below = _descendants(ours)
            kill(check_alive=False, allow_graceful=False)
            for pid in below:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

        node.kill_all_processes = kill_all


def _descendants(pids: Iterable[int]) -> list[int]:
    """Processes below these, by Linux's /proc; none elsewhere."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            # "pid (name) state parent ...", and the name may hold anything
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(status.parent.name))
    found: list[int] = []
    waiting = list(pids)
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _call(wanted: str, function: Callable[[Task], Result], task: Task) -> Result:
    """What a worker runs; named at module level so that Ray sends it by name, not by value."""
    _check_build(wanted)
    return function(task)


def _run(wanted: str, function: Callable[[], object]) -> None:
    """What a worker runs to get ready; it returns nothing, so nothing needs to be sent back."""
    _check_build(wanted)
    function()


def _check_build(wanted: str) -> None:
    """Refuse to work for a driver whose bgsim is another: the numbers would be neither's."""
    if build() != wanted:
        raise ExecutorError(
            f"the Ray worker on {socket.gethostname()} has {build()}, and here is {wanted}: "
            "install the same on both"
        )


def _check_reachable(address: str) -> bool:
    """Fail in seconds where no Ray answers: Ray itself would try for a minute and more.

    Returns whether the cluster is on this very machine.

    Raises:
        ExecutorError: it is no address, nothing listens there, or something that is not Ray.
    """
    if address == "auto":
        return False  # Ray looks for a cluster of this machine, and for its token
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ExecutorError(f"{address!r} is no Ray address: use HOST:PORT, ray://HOST:PORT or auto")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS) as line:
            here: bool = line.getpeername()[0] == line.getsockname()[0]
            if os.environ.get("RAY_USE_TLS", "0") != "0":
                return here  # it would not understand a plain word
            line.sendall(HTTP2_HELLO)
            answer = line.recv(4, socket.MSG_WAITALL)
    except (OSError, UnicodeError) as error:
        raise ExecutorError(f"no Ray cluster answers at {address}: {error}") from None
    if answer[3:] != bytes([HTTP2_SETTINGS]):
        raise ExecutorError(f"what answers at {address} is no Ray cluster: give the address of its head")
    return here


def _has_token() -> bool:
    """True when this user has a token for Ray's clusters.

    Ray starts new ones with it and yet connects to an address without it, lest strangers get it; on our
    own machine there are none.
    """
    given = os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH")
    return bool(given) or os.access(Path("~/.ray/auth_token").expanduser(), os.R_OK)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def _last_line(error: Exception) -> str:
    """What a worker's traceback ends with: the error itself."""
    return str(error).strip().splitlines()[-1].strip().rstrip(".")
