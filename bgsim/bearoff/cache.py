"""The tables that come with bgsim: built on first use and kept in the user's cache."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bgsim.bearoff.files import FORMAT
from bgsim.bearoff.one_sided import OneSided, build_one_sided, open_one_sided
from bgsim.bearoff.two_sided import TwoSided, build_two_sided, open_two_sided
from bgsim.core.errors import TableError
from bgsim.kernels._jit import CACHE_FOLDER

__all__ = ["BUILT_IN", "built_in"]

Table = TypeVar("Table", OneSided, TwoSided)

BUILT_IN = ("one-sided-15x6", "two-sided-6x6")


def built_in(name: str) -> OneSided | TwoSided:
    """Return a table of BUILT_IN: from the cache, or built now (in a second) and kept there.

    Several processes may do so at once: each writes aside and renames. Where nothing can be written, or what
    lies there is damaged and cannot be replaced, the table is held in memory; its numbers are the same.
    """
    if name == "one-sided-15x6":
        return _kept(name, open_one_sided, lambda out: build_one_sided(checkers=15, points=6, out=out))
    return _kept(name, open_two_sided, lambda out: build_two_sided(checkers=6, points=6, out=out))


def _kept(name: str, opened: Callable[[Path], Table], build: Callable[[Path | None], Table]) -> Table:
    if CACHE_FOLDER is None:
        return build(None)
    path = CACHE_FOLDER / f"{name}.{FORMAT}.arrow"
    try:
        return opened(path)
    except TableError:
        pass  # not there yet, or damaged
    aside = path.with_name(f"{name}.{os.getpid()}-{secrets.token_hex(4)}.arrow")
    try:
        build(aside)
        aside.replace(path)
        return opened(path)
    except (TableError, OSError):
        return build(None)
    finally:
        aside.unlink(missing_ok=True)
