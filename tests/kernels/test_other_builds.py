"""The same numbers from kernels compiled otherwise: for a plain CPU, and with every index checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernels.build_numbers import numbers

ROOT = Path(__file__).parents[2]
TRIALS = 20
# Counted by two independent engines (tests/data/README.md); the last is case L05.
KNOWN_COUNTS = {"nn": 261_116, "race": 41_585, "random": 183_373, "L05": 2_220}


def numbers_elsewhere(cache, **switches):
    """`numbers` of a fresh process with these environment variables and a cache of its own."""
    environment = {**os.environ, **switches, "BGSIM_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernels.build_numbers", str(TRIALS)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_counts_of_this_build():
    assert numbers(TRIALS)["counts"] == KNOWN_COUNTS


@pytest.mark.slow
def test_generic_cpu_gives_the_same_bytes(tmp_path):
    """No instruction of the host's CPU may change a number: not a fused multiply-add, not a wider vector."""
    assert numbers_elsewhere(tmp_path, NUMBA_CPU_NAME="generic") == numbers(TRIALS)


@pytest.mark.slow
def test_checked_indices_raise_nothing(tmp_path):
    """Corpus, the longest known list and playouts with every index checked, for P08: none is out of range."""
    assert numbers_elsewhere(tmp_path, NUMBA_BOUNDSCHECK="1") == numbers(TRIALS)
