"""Exact tables that a plan names, as the kernels read them."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import PlanError
from bgsim.core.files import as_path
from bgsim.kernels.tables import NO_ROWS, OneSidedRows, Tables, TwoSidedRows

if TYPE_CHECKING:
    from bgsim.bearoff.one_sided import OneSided
    from bgsim.bearoff.two_sided import TwoSided

__all__ = ["BUILT_IN", "NO_TABLES", "Loaded", "beside", "names_of", "tables_of"]

ALL_BUILT_IN = "built-in"
BUILT_IN = ("one-sided-15x6", "two-sided-6x6")  # names of tables that bgsim builds itself
VALUES = ("equity_cubeless", "win_minus_lose", "gammons")  # in the kernels' order

_NONE = np.ones((1, 1, 1), np.int64)  # ways to put no checkers on no points
_NOTHING = np.zeros(2, np.int64)
_NO_ROWS = np.full((3, 1), NO_ROWS, np.int64)
_NO_CHANCES = np.zeros(1, np.float32)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Some tables: their digests by name, and their rows; `held` keeps the memory that these point into."""

    digests: tuple[tuple[str, str], ...]
    two_sided: TwoSidedRows
    one_sided: OneSidedRows
    held: tuple[object, ...] = ()

    def for_kernels(self) -> Tables:
        """What one thread looks up; its scratch is new."""
        return Tables(self.two_sided, self.one_sided, np.zeros((2, 24), np.uint8))


NO_TABLES = Loaded(
    (),
    TwoSidedRows(_NONE, _NOTHING, _NOTHING, _NO_ROWS, _NO_ROWS, np.ones(2)),
    OneSidedRows(_NONE, _NOTHING, _NOTHING, _NO_CHANCES, _NOTHING, _NO_CHANCES),
)


def names_of(names: Sequence[str]) -> tuple[str, ...]:
    """The names in full: "built-in" means all of BUILT_IN.

    Raises:
        PlanError: something else than texts.
    """
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise PlanError(f"tables is {names!r}: a list of names is allowed, built-in or those of files")
    return tuple(full for name in names for full in (BUILT_IN if name == ALL_BUILT_IN else (name,)))


def beside(config: Path, name: str) -> str:
    """The name of a table in a configuration: a file's is relative to it."""
    return name if name in (ALL_BUILT_IN, *BUILT_IN) else str(config.parent / as_path(name))


def tables_of(names: Sequence[str]) -> Loaded:
    """Return the tables of these names (BUILT_IN) or files, at most one of each kind.

    Raises:
        PlanError: two of a kind.
        TableError: a file that is none or is damaged; a one-sided table of other than 15 checkers.
    """
    if not names:
        return NO_TABLES
    return _loaded(tuple(names), tuple(_stamp(name) for name in names))


def _stamp(name: str) -> tuple[int, int]:
    """Another stamp, another table."""
    try:
        found = Path(name).stat() if name not in BUILT_IN else None
    except OSError:
        return 0, 0
    return (found.st_size, found.st_mtime_ns) if found else (0, 0)


@lru_cache(maxsize=8)
def _loaded(names: tuple[str, ...], stamps: tuple[object, ...]) -> Loaded:
    from bgsim.bearoff.cache import built_in
    from bgsim.bearoff.one_sided import OneSided
    from bgsim.bearoff.opening import open_table

    found = [built_in(name) if name in BUILT_IN else open_table(name) for name in names]
    one_sided = [table for table in found if isinstance(table, OneSided)]
    two_sided = [table for table in found if not isinstance(table, OneSided)]
    for kind, some in (("one-sided", one_sided), ("two-sided", two_sided)):
        if len(some) > 1:
            raise PlanError(f"{len(some)} {kind} tables are named, {', '.join(names)}: name one of a kind")
    return Loaded(
        # What bgsim builds is a function of its sources, whether or not it lies in a file.
        tuple((name, "" if name in BUILT_IN else t.digest) for name, t in zip(names, found, strict=True)),
        _two_sided_rows(two_sided[0]) if two_sided else NO_TABLES.two_sided,
        _one_sided_rows(one_sided[0]) if one_sided else NO_TABLES.one_sided,
        held=tuple(found),
    )


def _two_sided_rows(table: "TwoSided") -> TwoSidedRows:
    from bgsim.bearoff.two_sided_files import UNITS

    none = np.full(len(table.full), NO_ROWS, np.int64)
    forward, turned = (
        np.stack([table.rows[name][side] if name in table.rows else none for name in VALUES])
        for side in (0, 1)
    )
    return TwoSidedRows(table.ways, table.firsts, table.ends, forward, turned, np.array(UNITS))


def _one_sided_rows(table: "OneSided") -> OneSidedRows:
    columns: list[npt.NDArray[Any]] = []
    for first in (False, True):
        starts, chances = table.all_chances(first=first)
        columns += [starts, _as_others(chances)]
    return OneSidedRows(table.ways, table.firsts, *columns)


def _as_others(chances: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The same memory, not marked as read-only: to numba that is another type, with kernels of its own."""
    floats = (ctypes.c_float * len(chances)).from_address(chances.__array_interface__["data"][0])
    return np.ctypeslib.as_array(floats)
