"""stdout and stderr that are closed or full: results are kept, and nothing ends in a traceback."""

from __future__ import annotations

import json
import shlex
import subprocess

import pytest

from bgsim.run.tables import read_table
from tests.children import BGSIM, PATIENCE

pytestmark = pytest.mark.slow


def shell(*arguments, redirected):
    """`bgsim ARGUMENTS` in a shell that redirects its streams."""
    command = f"{shlex.join([*BGSIM, *arguments])} {redirected}"
    return subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize("json_only", [True, False])
def test_a_stderr_that_cannot_be_written_loses_no_result(tmp_path, monkeypatch, stderr, json_only):
    """A bad line and the table written are told there, or would be."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.txt").write_text("start\nnonsense\n")
    more = ("--json",) if json_only else ()
    done = shell("rollout", "p.txt", "--trials", "40", "--out", "x.parquet", *more, redirected=stderr)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Traceback" not in done.stdout
    assert "table written" not in done.stdout
    if json_only:
        assert [row["trials"] for row in json.loads(done.stdout)] == [40]
    assert read_table("x.parquet").num_rows == 1


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
def test_a_mistake_that_cannot_be_told_is_one_all_the_same(stderr):
    done = shell("show", "nonsense", redirected=stderr)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


@pytest.mark.parametrize(
    "arguments", ["--help", "--version", "rollout --help", "show start", "perft start 1"]
)
def test_a_full_stdout_is_a_sentence_wherever_it_is_met(arguments):
    done = shell(*arguments.split(), redirected=">/dev/full")
    assert done.returncode == 1
    assert done.stderr == "bgsim: cannot read or write: No space left on device\n"


@pytest.mark.parametrize("arguments", ["--help", "show start", "rollout start --trials 4"])
def test_no_stdout_at_all(arguments):
    done = shell(*arguments.split(), redirected=">&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_neither_stdout_nor_stderr(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = shell("rollout", "start", "--trials", "40", "--out", "x.parquet", redirected=">&- 2>&-")
    assert done.returncode == 0
    assert read_table("x.parquet").num_rows == 1
