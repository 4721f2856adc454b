"""Disks that are full: a sentence, no half-written file under a final name, and a run that can go on."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from bgsim.run.tables import read_table
from tests.children import run_bgsim, run_python
from tests.columns import columns_of

pytestmark = pytest.mark.slow

# No file may grow beyond the limit. Python ignores SIGXFSZ, so a write fails; by default it kills.
LIMITED = """
import resource, signal, sys
limit, handler, *sys.argv[1:] = sys.argv[1:]
signal.signal(signal.SIGXFSZ, getattr(signal, handler))
from bgsim.cli.main import run
from bgsim.kernels import _jit  # the cache is looked for before the disk is full
import bgsim.apps.rollout_job
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
run()
"""
COMMAND = ("rollout", "start", "nackgammon", "--policy", "greedy", "--trials", "600", "--seed", "3", "--out")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The table of an undisturbed run."""
    path = tmp_path_factory.mktemp("expected") / "x.parquet"
    assert run_bgsim(*COMMAND, path).returncode == 0
    return path


def files_below(folder):
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "lock"]
    return sorted(str(path.relative_to(folder)) for path in files)


def test_a_part_that_does_not_fit(tmp_path, expected):
    out = tmp_path / "x.parquet"
    done = run_python("-c", LIMITED, "1000", "SIG_IGN", *COMMAND, out)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == f"bgsim: cannot write {out}.parts/part-000000.parquet: File too large\n"
    assert files_below(tmp_path) == []
    assert run_bgsim(*COMMAND, out, "--resume").returncode == 0
    assert columns_of(out) == columns_of(expected)


def test_a_table_that_does_not_fit(tmp_path, expected):
    """The parts are smaller: they stay, and with room again nothing is played twice."""
    out = tmp_path / "x.parquet"
    done = run_python("-c", LIMITED, "6000", "SIG_IGN", *COMMAND, out)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"bgsim: cannot write {out}: File too large\n"
    assert files_below(tmp_path) == ["x.parquet.parts/part-000000.parquet"]
    again = run_bgsim(*COMMAND, out, "--resume")
    assert (again.returncode, again.stderr) == (0, f"{out} was already finished\n")
    assert columns_of(out) == columns_of(expected)
    assert files_below(tmp_path) == ["x.parquet"]


def test_a_death_in_the_midst_of_writing(tmp_path, expected):
    """SIGXFSZ kills while the file is written: the unfinished one has no final name."""
    out = tmp_path / "x.parquet"
    done = run_python("-c", LIMITED, "6000", "SIG_DFL", *COMMAND, out)
    assert done.returncode == -signal.SIGXFSZ
    names = [Path(name).name for name in files_below(tmp_path)]
    assert "x.parquet" not in names
    assert "part-000000.parquet" in names
    (left,) = [name for name in names if name != "part-000000.parquet"]
    assert left.startswith(".x.parquet.")
    assert left.endswith(".partial")
    assert run_bgsim(*COMMAND, out, "--resume").returncode == 0
    assert columns_of(out) == columns_of(expected)
    assert files_below(tmp_path) == ["x.parquet"]


def test_an_old_table_outlives_a_full_disk(tmp_path, expected):
    out = tmp_path / "x.parquet"
    out.write_bytes(expected.read_bytes())
    other = [*COMMAND[:-1], "--policy", "random", "--overwrite", "--out", out]
    done = run_python("-c", LIMITED, "6000", "SIG_IGN", *other)
    assert done.returncode == 1
    assert out.read_bytes() == expected.read_bytes()
    assert run_bgsim(*[word for word in other if word != "--overwrite"], "--resume").returncode == 0
    assert set(read_table(out).column("policy").to_pylist()) == {"random"}
