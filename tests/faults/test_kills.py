"""kill -9, of workers and of the whole run: every trial is counted once (case P10)."""

from __future__ import annotations

import json
import os
import random
import signal
import time

import pytest

from bgsim.run.tables import read_metadata
from tests.children import (
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


def test_P10_runs_killed_at_any_moment_and_resumed(tmp_path, long_run, undisturbed):
    """Five times, wherever it is: loading, playing, writing a part, writing the table."""
    out, moments = tmp_path / "x.parquet", random.Random(10)
    for _ in range(5):
        with started_bgsim(*long_run, "--out", out, "--resume") as process:
            time.sleep(moments.uniform(0.6, 3.0))
            process.kill()
            status, _, err, _ = ended(process)
            assert status in (-signal.SIGKILL, 0)  # 0: it was done before
            assert said(err) in ([], [f"table written to {out}"])
        partial = [path.name for path in tmp_path.rglob("*.partial")]
        assert all(name.startswith(".") for name in partial)
    done = run_bgsim(*long_run, "--out", out, "--resume")
    assert done.returncode == 0, done.stderr
    assert columns_of(out) == columns_of(undisturbed)
    assert read_metadata(out)["finished_trials"] == "200000"
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def test_P10_a_killed_driver_of_ray_takes_its_ray_along(tmp_path, long_run, undisturbed):
    out = tmp_path / "x.parquet"
    with started_bgsim(*long_run, *RAY, "--out", out) as process:
        wait_until(lambda: parts_of(out), process)
        process.kill()
        assert ended(process)[0] == -signal.SIGKILL
        wait_until(lambda: not rays_of_session(process.pid))
    kept = parts_of(out)
    assert kept
    done = run_bgsim(*long_run, "--out", out, "--resume")  # on threads
    assert done.returncode == 0, done.stderr
    assert columns_of(out) == columns_of(undisturbed)


def test_P10_a_killed_worker_changes_nothing(tmp_path, long_run, undisturbed):
    """Ray plays its batch again elsewhere; nothing of that gets into the JSON."""
    out = tmp_path / "x.parquet"

    def at_work(process):
        return [pid for pid, command in of_session(process.pid).items() if command.startswith("ray::_call")]

    with started_bgsim(*long_run, *RAY, "--out", out, "--json") as process:
        for _ in range(2):
            wait_until(lambda: parts_of(out) and at_work(process), process)
            os.kill(at_work(process)[0], signal.SIGKILL)
        status, printed, err, _ = ended(process)
    assert (status, said(err)) == (0, [f"table written to {out}"])
    assert [row["trials"] for row in json.loads(printed)] == [100_000, 100_000]
    assert columns_of(out) == columns_of(undisturbed)


def test_one_ray_worker_gives_the_bits_of_threads(tmp_path, long_run):
    """A Ray of one core, tasks of seven trials; and nothing of Ray's on stderr."""
    few = (*long_run, "--trials", "300")
    ray, threads = tmp_path / "ray.parquet", tmp_path / "threads.parquet"
    done = run_bgsim(*few, *RAY, "--workers", "1", "--batch", "7", "--out", ray)
    assert (done.returncode, said(done.stderr)) == (0, [f"table written to {ray}"])
    assert run_bgsim(*few, "--out", threads).returncode == 0
    assert columns_of(ray) == columns_of(threads)
    assert (read_metadata(ray)["executor"], read_metadata(ray)["workers"]) == ("ray", "1")
