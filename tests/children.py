"""bgsim as a process of its own: started, watched, interrupted, killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE = 120.0  # seconds; only a run that hangs waits so long
PROGRESS = re.compile(r"[\d,]+ of [\d,]+ trials, [\d,]+ a second, [\d,]+ s left")
BGSIM = (sys.executable, "-m", "bgsim")


def environment(**changes: str | None) -> dict[str, str]:
    """This process's environment with some variables set, or left out (None)."""
    kept = {name: value for name, value in os.environ.items() if name not in changes}
    return kept | {name: value for name, value in changes.items() if value is not None}


def run_bgsim(
    *arguments: str | Path, cwd: Path | None = None, **changes: str | None
) -> subprocess.CompletedProcess[str]:
    """`bgsim ARGUMENTS` to its end; `changes` are made to the environment."""
    return run_python("-m", "bgsim", *arguments, cwd=cwd, **changes)


def run_python(
    *arguments: str | Path, cwd: Path | None = None, **changes: str | None
) -> subprocess.CompletedProcess[str]:
    """The same Python with these arguments to its end."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@contextmanager
def started_bgsim(
    *arguments: str | Path, cwd: Path | None = None, **changes: str | None
) -> Iterator[subprocess.Popen[str]]:
    """`bgsim ARGUMENTS` at work, alone in a group of processes as under a terminal; gone at the end."""
    process = subprocess.Popen(
        [*BGSIM, *map(str, arguments)],
        cwd=cwd,
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
        for pid in of_session(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


HEAD = """
import logging, ray, sys
ray.init(address="local", num_cpus=2, include_dashboard=False, object_store_memory=128 << 20,
         log_to_driver=False, logging_level=logging.ERROR)
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
ray.shutdown(wait_for_processes=True)
"""


@contextmanager
def started_ray(**changes: str | None) -> Iterator[str]:
    """The address of a Ray of two cores; its workers see the `changes` to the environment."""
    head = subprocess.Popen(
        [sys.executable, "-c", HEAD],
        env=environment(RAY_USAGE_STATS_ENABLED="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0", **changes),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        address = head.stdout.readline().strip()
        assert address, "no Ray could be started"
        yield address
    finally:
        head.communicate(timeout=60)  # closes its stdin, at which it shuts down


def ctrl_c(process: subprocess.Popen[str]) -> None:
    """What a terminal does at Ctrl-C: SIGINT to the whole group."""
    os.killpg(process.pid, signal.SIGINT)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str, float]:
    """Exit status, stdout and stderr of a process once it has ended, and how long that took."""
    began = time.monotonic()
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err, time.monotonic() - began


def wait_until(true: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Return once it is true; fail when the process ends before, or nothing happens for two minutes."""
    until = time.monotonic() + PATIENCE
    while not true():
        if process is not None and process.poll() is not None and not true():
            raise AssertionError(f"ended with {process.returncode}: {process.communicate()}")
        if time.monotonic() > until:
            raise AssertionError("waited two minutes in vain")
        time.sleep(0.02)


def said(err: str) -> list[str]:
    """The lines on stderr, without those of the progress that a slow machine shows every ten seconds."""
    return [line for line in err.splitlines() if not PROGRESS.fullmatch(line)]


def parts_of(out: Path) -> list[Path]:
    """The finished parts beside a table to come."""
    return sorted(out.with_name(f"{out.name}.parts").glob("part-*.parquet"))


# --- processes, as Linux lists them ---------------------------------------------------------------


def processes() -> dict[int, tuple[int, int, str]]:
    """Parent, session and command line of every process that is not a zombie."""
    found: dict[int, tuple[int, int, str]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # "pid (name) state parent group session ...", and the name may hold anything
            state, parent, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it ended while we looked
        if state != "Z":
            found[int(folder.name)] = (int(parent), int(session), command.strip())
    return found


def rays_of_session(leader: int) -> list[str]:
    """The commands there, but for Ray's agents, which may take a minute to see that it died."""
    return [
        command
        for command in of_session(leader).values()
        if not command.startswith("ray::") or "Agent" not in command
    ]


def of_session(leader: int) -> dict[int, str]:
    """Command lines of the processes in the session that a process leads or led."""
    return {pid: command for pid, (_, session, command) in processes().items() if session == leader}
