"""The one decorator of the kernels, and where their compiled code is kept.

Numba does not notice when a *called* function changes in another file, so the cache folder is named
by a hash of every kernel source: an edit anywhere means a new folder, never a stale kernel.
"""

import contextlib
import hashlib
import os
import platform
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

config: Any = numba.config  # its switches are set at import, which type checkers cannot see
Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}

KEPT_CACHES = 4  # other checkouts and versions may still use theirs; beyond four it is litter


def source_hash() -> str:
    """Hash of the kernel sources alone: the same on every machine."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _source_key() -> str:
    """Hash of all that decides the machine code: kernel sources, numba, Python and debug switches."""
    switches = (config.BOUNDSCHECK, config.OPT, config.DISABLE_JIT, config.CPU_NAME)
    decisive = (source_hash(), numba.__version__, sys.version_info[:2], platform.machine(), switches)
    return hashlib.blake2b(repr(decisive).encode(), digest_size=8).hexdigest()


def _private_temporary_folder() -> Path:
    """A per-user folder under the system's temporary one; refused unless it is ours alone."""
    folder = Path(tempfile.gettempdir()) / f"bgsim-cache-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    # Cached machine code is executed: a folder that another user could write to is a way in.
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise OSError(f"{folder} is not private to this user")
    return folder


def _user_folder() -> Path:
    """The user's cache folder; OSError where there is none (no HOME, unknown user)."""
    if sys.platform == "darwin":
        return Path("~/Library/Caches/bgsim").expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    home = os.environ.get("HOME")
    if not base and not home:
        # expanduser would fall back to the password file; an unset HOME usually means a service.
        raise OSError("neither XDG_CACHE_HOME nor HOME is set")
    return Path(base) / "bgsim" if base else Path(cast(str, home)) / ".cache" / "bgsim"


def _candidates() -> Iterator[Callable[[], Path]]:
    chosen = os.environ.get("BGSIM_CACHE_DIR")
    if chosen:
        yield lambda: Path(chosen)
    yield _user_folder
    yield _private_temporary_folder


def _usable(folder: Path) -> bool:
    """True when a file can really be written there (permission bits lie on read-only mounts)."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _prune(parent: Path, keep: Path) -> None:
    """Remove the least recently used caches of other sources; never an error."""
    try:
        others = [d for d in parent.iterdir() if d.is_dir() and d.name.startswith("kernels-") and d != keep]
        others.sort(key=lambda d: d.stat().st_mtime, reverse=True)
        for old in others[KEPT_CACHES - 1 :]:
            for path in sorted(old.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            old.rmdir()
    except OSError:
        pass  # another process prunes too, or the folder is not ours to tidy


def find_cache_folder() -> Path | None:
    """Where compiled kernels are kept: BGSIM_CACHE_DIR, the user's cache, a temporary folder, or None."""
    for candidate in _candidates():
        try:
            parent = candidate()
        except OSError:
            continue
        folder = parent / f"kernels-{_source_key()}"
        if _usable(folder):
            os.utime(folder)
            _prune(parent, folder)
            return folder
    return None


CACHE_FOLDER: Path | None = find_cache_folder()


def is_compiled(name: str) -> bool:
    """True when all kernels of a set of this name have been compiled from these very sources and kept."""
    return CACHE_FOLDER is not None and (CACHE_FOLDER / f"{name}.compiled").exists()


def mark_compiled(name: str) -> None:
    """Leave word of that; the files of some kernels say nothing of the others."""
    if CACHE_FOLDER is not None:
        with contextlib.suppress(OSError):  # a full disk: the next run says once more that it compiles
            (CACHE_FOLDER / f"{name}.compiled").touch()


def inlined(function: Function) -> Function:
    """As `jit`, but made part of each caller.

    For kernels that take arrays and are called many times a ply: a call passes each array in seven parts.
    """
    return cast(Function, numba.njit(forceinline=True, **OPTIONS)(function))


def jit(function: Function) -> Function:
    """Compile without the GIL and without fast-math, so that every CPU gives the same bits.

    A kernel allocates nothing, its callers hold all arrays: so none of them is counted (`_nrt`), which was
    done atomically for every view and took a fifth of a net's time.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE_FOLDER or "")
    try:
        compiled = numba.njit(cache=CACHE_FOLDER is not None, **OPTIONS)(function)
    finally:
        config.CACHE_DIR = before
    return cast(Function, compiled)
