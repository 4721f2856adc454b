"""Ctrl-C: exit 130, what is finished is kept, and going on gives the table of a run without it.

How long a stop takes is printed, not asserted (pytest -rP shows it); the aim is one second.
"""

from __future__ import annotations

import logging
import os
import signal
import time

import pytest

from bgsim.apps.rollout_job import RolloutJob
from tests.children import (
    ctrl_c,
    ended,
    of_session,
    parts_of,
    rays_of_session,
    run_bgsim,
    said,
    started_bgsim,
    wait_until,
)
from tests.columns import columns_of

pytestmark = pytest.mark.slow

RAY = ("--executor", "ray")


def go_on(arguments, out):
    """Resume a run in this process; the trials that were left to play."""
    options = {"workers": 2, "out": str(out), "policy": "greedy", "seed": 10, "trials": 100_000}
    assert list(arguments[1:3]) == ["start", "nackgammon"]
    job = RolloutJob.make(arguments[1:3], None, options)
    run = job.run(resume=True, overwrite=False, started=lambda *_: None, listener=lambda _: None)
    assert run.finished
    return run.trials_played


def stopped(process, name):
    """stdout, and what it had to say on stderr, of a process that Ctrl-C has ended."""
    status, out, err, seconds = ended(process)
    logging.getLogger(__name__).warning(f"{name}: {seconds:.2f} s from Ctrl-C to the end")
    assert status == 130, err
    assert "Traceback" not in err
    return out, said(err)


# --- threads --------------------------------------------------------------------------------------


def test_threads(tmp_path, long_run, undisturbed):
    out = tmp_path / "x.parquet"
    with started_bgsim(*long_run, "--out", out) as process:
        wait_until(lambda: parts_of(out), process)
        ctrl_c(process)
        printed, err = stopped(process, "threads")
    (line,) = err
    assert line == (
        f"bgsim: stopped before the end; what is finished is kept: go on with --resume --out {out}"
    )
    assert "start" in printed  # what is known so far
    assert not out.exists()
    assert 0 < go_on(long_run, out) < 200_000
    assert columns_of(out) == columns_of(undisturbed)
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def test_threads_and_a_second_ctrl_c(tmp_path, long_run, undisturbed):
    """The second one does not wait for the table to be printed; what reached the disk is still good."""
    out = tmp_path / "x.parquet"
    with started_bgsim(*long_run, "--out", out) as process:
        wait_until(lambda: parts_of(out), process)
        ctrl_c(process)
        time.sleep(0.01)
        if process.poll() is None:
            ctrl_c(process)
        _, err = stopped(process, "threads, twice")
    assert err[0].startswith("bgsim: stopped")
    assert go_on(long_run, out) < 200_000
    assert columns_of(out) == columns_of(undisturbed)


def test_sigterm_keeps_what_is_finished(tmp_path, long_run):
    out = tmp_path / "x.parquet"
    with started_bgsim(*long_run, "--out", out) as process:
        wait_until(lambda: parts_of(out), process)
        process.terminate()
        stopped(process, "SIGTERM")
    assert parts_of(out)


def test_without_out_what_is_known_is_printed(long_run):
    with started_bgsim(*long_run, "--trials", "3000000", "--json") as process:
        time.sleep(3.0)
        ctrl_c(process)
        printed, err = stopped(process, "threads, no table")
    assert err in (["bgsim: stopped before the end"], ["bgsim: stopped"])  # the first once trials are played
    assert err == ["bgsim: stopped"] or '"trials"' in printed


@pytest.mark.parametrize("delay", [0.15, 0.6, 1.2])
def test_early_ctrl_c(tmp_path, long_run, delay):
    """While Python, numpy and Numba are loaded: no traceback either."""
    with started_bgsim(*long_run, "--out", tmp_path / "x.parquet") as process:
        time.sleep(delay)
        ctrl_c(process)
        status, _, err, seconds = ended(process)
    logging.getLogger(__name__).warning(f"{delay} s after the start: {seconds:.2f} s from Ctrl-C to the end")
    assert status in (130, -signal.SIGINT)  # before bgsim has begun, Python itself is interrupted
    assert status == -signal.SIGINT or "Traceback" not in err
    assert not (tmp_path / "x.parquet").exists()


def test_R20_a_long_kernel_does_not_hold_ctrl_c_up():
    """perft 4 has fifty thousand million results: hours."""
    with started_bgsim("perft", "start", "4") as process:
        time.sleep(4.0)
        ctrl_c(process)
        out, err = stopped(process, "perft")
    assert err == ["bgsim: stopped"]
    assert "depth 4" not in out


# --- Ray ------------------------------------------------------------------------------------------


def test_a_ray_of_our_own(tmp_path, long_run, undisturbed):
    """It is gone afterwards, and threads go on with the work of Ray's workers."""
    out = tmp_path / "x.parquet"
    with started_bgsim(*long_run, *RAY, "--out", out) as process:
        wait_until(lambda: parts_of(out), process)
        assert any("raylet" in command for command in of_session(process.pid).values())
        ctrl_c(process)
        _, err = stopped(process, "Ray of our own")
        (line,) = err
        assert line.endswith(f"go on with --resume --out {out}")
        wait_until(lambda: not of_session(process.pid))
    assert 0 < go_on(long_run, out) < 200_000
    assert columns_of(out) == columns_of(undisturbed)


def test_a_ray_of_our_own_and_a_second_ctrl_c(tmp_path, long_run):
    out = tmp_path / "x.parquet"
    with started_bgsim(*long_run, *RAY, "--out", out) as process:
        wait_until(lambda: parts_of(out), process)
        ctrl_c(process)
        time.sleep(0.2)
        if process.poll() is None:
            ctrl_c(process)
        _, err = stopped(process, "Ray of our own, twice")
        assert err[0].startswith("bgsim: stopped")
        wait_until(lambda: not rays_of_session(process.pid))
    assert parts_of(out)


def test_ctrl_c_while_ray_starts(tmp_path, long_run):
    with started_bgsim(*long_run, *RAY, "--out", tmp_path / "x.parquet") as process:
        wait_until(lambda: any("gcs_server" in command for command in of_session(process.pid).values()))
        time.sleep(0.5)
        ctrl_c(process)
        _, err = stopped(process, "while Ray starts")
        assert err == ["bgsim: stopped"]
        wait_until(lambda: not rays_of_session(process.pid))


def test_somebody_elses_ray_lives_on(tmp_path, long_run, undisturbed, ray_head):
    """Ctrl-C closes our connection only: the same cluster then finishes the work."""
    out = tmp_path / "x.parquet"
    with started_bgsim(*long_run, *RAY, "--address", ray_head, "--out", out) as process:
        wait_until(lambda: parts_of(out), process)
        ctrl_c(process)
        _, err = stopped(process, "Ray of somebody else")
        assert len(err) == 1
        assert os.getpid() not in of_session(process.pid)
    done = run_bgsim(*long_run, *RAY, "--address", ray_head, "--out", out, "--resume")
    assert (done.returncode, said(done.stderr)) == (0, [f"table written to {out}"])
    assert columns_of(out) == columns_of(undisturbed)
