"""What a user waits for before anything happens: CPU time of whole processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.clock import children_cpu_seconds

pytestmark = pytest.mark.benchmark(group="start-up", timer=children_cpu_seconds)

ROLLOUT = ("rollout", "start", "--trials", "36", "--json")


def bgsim_says(*arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """Standard output of a bgsim command that must succeed."""
    return run("-m", "bgsim", *arguments, environment=environment)


def run(*arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """Standard output of a Python process that must succeed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    return done.stdout


def rolled_out(text: str) -> Any:
    """The row of the rollout, which must have played all its trials."""
    (row,) = json.loads(text)
    assert row["trials"] == 36
    return row


def test_import(benchmark: BenchmarkFixture) -> None:
    command = ("-c", "import bgsim; print(len(bgsim.__all__))")
    assert int(run(*command)) > 0
    benchmark.pedantic(run, command, rounds=5)


@pytest.mark.parametrize("command", [(), ("rollout",)], ids=["bgsim", "rollout"])
def test_help(benchmark: BenchmarkFixture, command: tuple[str, ...]) -> None:
    assert "Usage" in bgsim_says(*command, "--help")
    benchmark.pedantic(bgsim_says, (*command, "--help"), rounds=5)


def test_show(benchmark: BenchmarkFixture) -> None:
    """A command that draws a board and needs no kernel."""
    assert "4HPwATDgc/ABMA" in bgsim_says("show", "start")
    benchmark.pedantic(bgsim_says, ("show", "start"), rounds=5)


def test_rollout_with_a_filled_cache(benchmark: BenchmarkFixture) -> None:
    row = rolled_out(bgsim_says(*ROLLOUT))
    assert rolled_out(benchmark.pedantic(bgsim_says, ROLLOUT, rounds=5)) == row


def test_rollout_with_an_empty_cache(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Compiles all that a plain rollout needs; once, for it takes long."""
    row = rolled_out(bgsim_says(*ROLLOUT))
    empty = {"BGSIM_CACHE_DIR": str(tmp_path)}
    text = benchmark.pedantic(bgsim_says, ROLLOUT, {"environment": empty}, rounds=1)
    assert rolled_out(text) == row
