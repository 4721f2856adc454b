"""Files that are either whole or not there: written aside, flushed to disk, renamed; locks on folders."""

import contextlib
import fcntl
import glob
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from bgsim.core.errors import TableError

__all__ = ["as_path", "check_place", "lock_folder", "write_aside"]

LOCK_NAME = "lock"


def as_path(text: str | Path) -> Path:
    """The path that a person means: ~ is a home folder, which no shell reads in quotes or files.

    Raises:
        TableError: it is neither a text nor a Path.
    """
    if not isinstance(text, str | Path):
        raise TableError(f"a file is named by a text or a Path, not by {type(text).__name__}")
    try:
        return Path(text).expanduser()
    except RuntimeError:  # no such user
        return Path(text)


def check_place(path: Path) -> None:
    """Find out before the work, not after it, that a file cannot be written; nothing is made.

    Raises:
        TableError: it is a folder, lies below a file, or in a folder without the right to write.
    """
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    if path.is_dir():
        raise TableError(f"cannot write {path}: it is a folder")
    if not folder.is_dir():
        raise TableError(f"cannot write {path}: {folder} is not a folder")
    trial = folder / _aside(path).name  # rights lie for root, and a name may be too long
    try:
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror}") from None


def _aside(path: Path) -> Path:
    """A name beside a file under which it is written first."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")


def write_aside(path: Path, write: Callable[[Path], None]) -> None:
    """Call `write` with a temporary name in the same folder and give the file its real name only then.

    Raises:
        TableError: the file cannot be written (no such folder, no right, disk full); nothing is left behind.
    """
    aside = _aside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(aside)
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        aside.replace(path)
        for left in path.parent.glob(f".{glob.escape(path.name)}.*.partial"):
            left.unlink(missing_ok=True)  # by a run that was killed while it wrote
    except OSError as error:
        # Not strerror, which Arrow fills: "Error writing bytes to file. Detail: [errno 28] No space left ..."
        reason = os.strerror(error.errno) if error.errno else error
        raise TableError(f"cannot write {path}: {reason}") from None
    finally:
        with contextlib.suppress(OSError):  # below a file, say, or on a disk that went away
            aside.unlink(missing_ok=True)


def lock_folder(folder: Path) -> TextIO:
    """Keep other processes away from a folder (made if need be) until the file returned is closed.

    The system lets go of the lock of a process that dies, so a crash leaves none behind.

    Raises:
        TableError: another process has it (named), or the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = (folder / LOCK_NAME).open("a+")
    except OSError as error:
        raise TableError(f"cannot write {folder}: {error.strerror}") from None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.seek(0)
        owner = held.read().strip() or "unknown"
        held.close()
        raise TableError(
            f"process {owner} is at work on {folder}: wait for it, or choose another --out"
        ) from None
    with contextlib.suppress(OSError):  # on a full disk it is locked all the same, by an unknown process
        os.truncate(held.fileno(), 0)
        os.write(held.fileno(), f"{os.getpid()}\n".encode())
    return held
