"""Where compiled kernels are kept, and that bgsim runs where nothing can be kept (case P03)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import bgsim
from bgsim.apps import warm
from bgsim.kernels import _jit
from tests.children import BGSIM, PATIENCE, environment, run_bgsim

FEW = ("rollout", "start", "--trials", "36", "--json")


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Nothing set, and a temporary folder of our own."""
    for name in ("BGSIM_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "file").write_text("a file")
    return tmp_path


def found():
    """The folder that is chosen, without the name of these sources."""
    folder = _jit.find_cache_folder()
    if folder is None:
        return None
    assert folder.is_dir()
    assert folder.name == f"kernels-{_jit._source_key()}"
    return folder.parent


# --- which folder ---------------------------------------------------------------------------------


def test_the_folder_asked_for_comes_first(places, monkeypatch):
    monkeypatch.setenv("HOME", str(places / "home"))
    monkeypatch.setenv("BGSIM_CACHE_DIR", str(places / "asked" / "for"))
    assert found() == places / "asked" / "for"
    assert not (places / "home").exists()


def test_then_the_users_cache(places, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(places / "home"))
    assert found() == places / "home" / ".cache" / "bgsim"
    monkeypatch.setenv("XDG_CACHE_HOME", str(places / "xdg"))
    assert found() == places / "xdg" / "bgsim"


def test_then_a_private_temporary_folder(places):
    folder = found()
    assert folder == places / "temporary" / f"bgsim-cache-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["BGSIM_CACHE_DIR", "XDG_CACHE_HOME", "HOME"])
def test_a_place_that_cannot_be_written_is_passed_over(places, monkeypatch, name):
    """A path below a file: no user can write there, root neither."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv(name, str(places / "file" / "below"))
    assert found() == places / "temporary" / f"bgsim-cache-{os.getuid()}"


def test_nothing_at_all_means_no_cache(places, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(places / "file" / "below"))
    assert found() is None


def test_a_temporary_folder_that_others_may_write_is_refused(places):
    """What lies there is executed."""
    folder = places / "temporary" / f"bgsim-cache-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    assert found() is None
    folder.chmod(0o700)
    assert found() == folder


def test_a_link_in_the_place_of_the_temporary_folder_is_refused(places):
    (places / "elsewhere").mkdir()
    (places / "temporary" / f"bgsim-cache-{os.getuid()}").symlink_to(places / "elsewhere")
    assert found() is None


def test_a_temporary_folder_of_somebody_else_is_refused(places, monkeypatch):
    me = os.getuid()
    folder = places / "temporary" / f"bgsim-cache-{me + 1}"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: me + 1)  # it is ours, and we are another now
    assert found() is None


# --- one folder for each version of the kernels ---------------------------------------------------


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A copy of the kernels whose key is asked for."""
    copy = tmp_path / "kernels"
    shutil.copytree(Path(_jit.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = _jit._source_key()
    monkeypatch.setattr(_jit, "__file__", str(copy / "_jit.py"))
    assert _jit._source_key() == before  # the place does not matter
    return copy


@pytest.mark.parametrize("name", ["bits.py", "playout.py", "_jit.py"])
def test_an_edited_kernel_has_another_folder(sources, name):
    """Numba would not notice a changed function that another file calls."""
    before = _jit._source_key()
    with (sources / name).open("a") as file:
        file.write("# a comment\n")
    assert _jit._source_key() != before


def test_another_numba_python_or_switch_has_another_folder(monkeypatch):
    keys = {_jit._source_key()}
    monkeypatch.setattr(_jit.numba, "__version__", "0.0.0")
    keys.add(_jit._source_key())
    monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    keys.add(_jit._source_key())
    monkeypatch.setattr(_jit.config, "BOUNDSCHECK", 1)
    keys.add(_jit._source_key())
    monkeypatch.setattr(_jit.config, "CPU_NAME", "generic")
    keys.add(_jit._source_key())
    assert len(keys) == 5


def test_old_folders_are_removed(places, monkeypatch):
    """The four used last are kept; other files of that folder are nobody's business."""
    parent = places / "asked"
    monkeypatch.setenv("BGSIM_CACHE_DIR", str(parent))
    for age in range(1, 7):
        folder = parent / f"kernels-{age}"
        (folder / "deeper").mkdir(parents=True)
        (folder / "deeper" / "x.nbi").write_text("compiled")
        os.utime(folder, (1_000_000 - age, 1_000_000 - age))
    (parent / "mine").mkdir()
    (parent / "kernels-note.txt").write_text("mine")
    current = _jit.find_cache_folder()
    assert sorted(path.name for path in parent.iterdir()) == sorted(
        ["kernels-1", "kernels-2", "kernels-3", current.name, "mine", "kernels-note.txt"]
    )


def test_the_folder_in_use_is_the_youngest(places, monkeypatch):
    monkeypatch.setenv("BGSIM_CACHE_DIR", str(places / "asked"))
    folder = _jit.find_cache_folder()
    os.utime(folder, (1, 1))
    assert _jit.find_cache_folder() == folder
    assert folder.stat().st_mtime > 1_000_000


def test_a_folder_that_cannot_be_tidied_is_no_fault(places, monkeypatch):
    monkeypatch.setenv("BGSIM_CACHE_DIR", str(places / "asked"))
    for age in range(6):
        (places / "asked" / f"kernels-{age}").mkdir(parents=True)

    def fails(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "rmdir", fails)
    assert found() == places / "asked"


# --- what the user is told ------------------------------------------------------------------------


def test_the_note_says_that_it_compiles_and_where_it_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(_jit, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(warm, "CACHE_FOLDER", tmp_path)
    note = warm.compile_note("rollout")
    assert note.startswith("compiling the kernels, about ")
    assert str(tmp_path) in note
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "run.nbi").touch()  # of another set, or of a first run that was stopped
    assert warm.compile_note("rollout") == note
    _jit.mark_compiled("perft")
    assert warm.compile_note("perft") is None
    assert warm.compile_note("rollout") == warm.compile_note("perft", "rollout") == note
    _jit.mark_compiled("rollout")
    assert warm.compile_note("perft", "rollout") is None
    monkeypatch.setattr(_jit, "CACHE_FOLDER", None)
    monkeypatch.setattr(warm, "CACHE_FOLDER", None)
    assert warm.compile_note("perft").endswith(
        "no folder can be written to keep them: set BGSIM_CACHE_DIR to one"
    )


# --- for real: each compiles everything once ------------------------------------------------------


def files_of(folder):
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*.nb?")}


@pytest.mark.slow
def test_P03_an_empty_cache_is_filled_once(tmp_path):
    """The first run says that it compiles, the second neither says nor does it; nothing lies elsewhere."""
    cache, home = tmp_path / "cache", tmp_path / "home"
    home.mkdir()
    places = {"BGSIM_CACHE_DIR": str(cache), "HOME": str(home), "XDG_CACHE_HOME": None}
    first = run_bgsim(*FEW, **places)
    assert first.returncode == 0, first.stderr
    assert first.stderr.startswith("compiling the kernels, about ")
    assert str(cache) in first.stderr
    kept = files_of(cache)
    assert any(name.endswith(".nbi") for name in kept)
    second = run_bgsim(*FEW, **places)
    assert (second.returncode, second.stderr) == (0, "")
    assert second.stdout == first.stdout
    assert files_of(cache) == kept
    assert list(home.iterdir()) == []
    assert json.loads(first.stdout) == [bgsim.rollout("start", trials=36).row() | {"name": "start"}]


@pytest.mark.slow
def test_a_cache_filled_in_part_is_no_filled_cache(tmp_path):
    """perft compiles its own kernels only: the first rollout says that it compiles, and so only the first."""
    cache = {"BGSIM_CACHE_DIR": str(tmp_path)}
    assert run_bgsim("perft", "start", "1", **cache).stderr.startswith("compiling the kernels")
    assert run_bgsim("perft", "start", "2", **cache).stderr == ""
    assert run_bgsim(*FEW, **cache).stderr.startswith("compiling the kernels")
    assert run_bgsim(*FEW, **cache).stderr == ""


# The whole file system read-only, as in a locked container.
READ_ONLY = 'mount -o remount,bind,ro / && cd / && exec "$@"'
# The same for those who may not mount: a temporary folder that cannot be.
NO_TEMPORARY = """
import sys, tempfile
tempfile.tempdir, *sys.argv[1:] = sys.argv[1:]
from bgsim.cli.main import run
run()
"""


def may_mount():
    command = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        READ_ONLY,
        "sh",
        "sh",
        "-c",
        f"! touch {tempfile.gettempdir()}/x",
    ]
    return (
        shutil.which("unshare") and subprocess.run(command, capture_output=True, check=False).returncode == 0
    )


@pytest.mark.slow
def test_P03_a_package_that_cannot_be_written_and_no_place_for_a_cache(tmp_path):
    """HOME unset, the cache asked for below a file, no temporary folder: it compiles, runs and says why."""
    (tmp_path / "file").write_text("a file")
    below = str(tmp_path / "file" / "below")
    if may_mount():
        command = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", *BGSIM]
    else:
        command = [sys.executable, "-c", NO_TEMPORARY, below]
    done = subprocess.run(
        [*command, *FEW],
        env=environment(BGSIM_CACHE_DIR=below, HOME=None, XDG_CACHE_HOME=None, TMPDIR=None),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("compiling the kernels, about ")
    assert line.endswith("as no folder can be written to keep them: set BGSIM_CACHE_DIR to one")
    assert json.loads(done.stdout) == [bgsim.rollout("start", trials=36).row() | {"name": "start"}]
