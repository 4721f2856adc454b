"""Ray workers whose bgsim is not the driver's: refused, never silently other numbers."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import bgsim
from bgsim.run.provenance import build
from tests.children import run_bgsim, started_ray

pytestmark = pytest.mark.slow


def refusal(tmp_path):
    """What a rollout says on a Ray whose workers find their bgsim in a folder."""
    with started_ray(PYTHONPATH=str(tmp_path / "theirs")) as address:
        command = ("rollout", "start", "--trials", "50", "--executor", "ray", "--address", address)
        done = run_bgsim(*command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1, done.stderr
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("name", ["_version.py", "run/plan.py", "kernels/greedy.py", "engine/net.npz"])
def test_workers_with_another_bgsim_are_refused(tmp_path, name):
    """Another version, another NUMBERS_VERSION, a changed kernel, other weights; the sentence names both."""
    copy = tmp_path / "theirs" / "bgsim"
    shutil.copytree(Path(bgsim.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    changed = copy / name
    data = re.sub(rb'(?m)^(__version__ = "|NUMBERS_VERSION = )', rb"\g<1>9", changed.read_bytes())
    changed.write_bytes(data + b"# edited\n")
    line = refusal(tmp_path)
    theirs, ours = re.fullmatch(
        r"bgsim: the Ray worker on \S+ has (.*), and here is (.*): install the same on both", line
    ).groups()
    assert ours == build()
    assert theirs != ours
    assert theirs.startswith("bgsim ")


def test_workers_without_bgsim_are_told_in_a_sentence(tmp_path):
    (tmp_path / "theirs" / "bgsim").mkdir(parents=True)
    (tmp_path / "theirs" / "bgsim" / "__init__.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'bgsim'\")\n"
    )
    said = refusal(tmp_path)
    assert "No module named 'bgsim'" in said
    assert build() in said
