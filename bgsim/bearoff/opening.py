"""Opening a table of whatever kind."""

from pathlib import Path

from bgsim.bearoff.files import kind_of
from bgsim.bearoff.one_sided import OneSided, open_one_sided
from bgsim.bearoff.two_sided import TwoSided, open_two_sided
from bgsim.core.files import as_path

__all__ = ["open_table"]


def open_table(path: str | Path, *, check: bool | None = None) -> OneSided | TwoSided:
    """Return a table that was built before, mapped into memory.

    check: compare checksums of every byte; by default of tables up to 256 MB.

    Raises:
        TableError: there is none, it is unfinished, damaged, or of another version; says which.
    """
    path = as_path(path)
    if kind_of(path) == "one-sided":
        return open_one_sided(path, check=check)
    return open_two_sided(path, check=check)
