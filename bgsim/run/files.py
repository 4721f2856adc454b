"""Files that are either whole or not there: written aside, flushed to disk, renamed."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from bgsim.core.errors import TableError

__all__ = ["write_aside"]


def write_aside(path: Path, write: Callable[[Path], None]) -> None:
    """Call `write` with a temporary name in the same folder and give the file its real name only then.

    Raises:
        TableError: the file cannot be written (no such folder, no right, disk full); nothing is left behind.
    """
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(aside)
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        aside.unlink(missing_ok=True)
