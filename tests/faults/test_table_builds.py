"""Builds of exact tables that are killed, interrupted, or run twice at once."""

from __future__ import annotations

import random
import signal
import time

import pytest

from tests.children import ctrl_c, ended, run_bgsim, said, started_bgsim, wait_until

pytestmark = pytest.mark.slow


def build(checkers, out, *options):
    return ("bearoff", "build", "two-sided", "--checkers", str(checkers), "--out", out, *options)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The bytes of a table of 9 checkers that was built in one go."""
    out = tmp_path_factory.mktemp("undisturbed") / "x.arrow"
    assert run_bgsim(*build(9, out)).returncode == 0
    return out.read_bytes()


def parts_of(out):
    return list(out.with_name(f"{out.name}.parts").glob("*-*.arrow"))


def killed(out, checkers, moments, times):
    """Start a build so often and kill it at some moment."""
    for _ in range(times):
        with started_bgsim(*build(checkers, out, "--threads", "2")) as process:
            time.sleep(moments.uniform(1.5, 6.0))
            process.kill()
            assert ended(process)[0] in (-signal.SIGKILL, 0, 1)  # 0: it was done; 1: and done before


def test_a_killed_build_goes_on_and_ends_in_the_same_bytes(tmp_path, undisturbed):
    out = tmp_path / "x.arrow"
    killed(out, 9, random.Random(9), 3)
    if not out.exists():
        done = run_bgsim(*build(9, out, "--threads", "1"))
        assert done.returncode == 0, done.stderr
    assert out.read_bytes() == undisturbed
    assert [path.name for path in tmp_path.iterdir()] == ["x.arrow"]


@pytest.mark.long
def test_a_killed_build_of_ten_checkers(tmp_path):
    whole, out = tmp_path / "whole.arrow", tmp_path / "x.arrow"
    assert run_bgsim(*build(10, whole)).returncode == 0
    killed(out, 10, random.Random(10), 4)
    if not out.exists():
        assert run_bgsim(*build(10, out)).returncode == 0
    assert out.read_bytes() == whole.read_bytes()


def test_ctrl_c_keeps_what_is_finished(tmp_path):
    out = tmp_path / "x.arrow"
    with started_bgsim(*build(9, out)) as process:
        wait_until(lambda: len(parts_of(out)) > 5, process)
        ctrl_c(process)
        status, _, err, seconds = ended(process)
    assert status == 130
    assert said(err)[-1] == "bgsim: stopped"
    assert seconds < 5
    assert len(parts_of(out)) > 5


def test_two_builds_of_one_table(tmp_path):
    """The second is told whose it is."""
    out = tmp_path / "x.arrow"
    with started_bgsim(*build(9, out)) as process:
        wait_until(lambda: parts_of(out), process)
        second = run_bgsim(*build(9, out))
        assert second.returncode == 1
        assert f"process {process.pid} is at work on {out}.parts: wait for it" in second.stderr
