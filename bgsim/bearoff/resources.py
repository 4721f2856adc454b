"""Whether a build has the memory and the disk that it needs, before it begins."""

import shutil
from pathlib import Path

from bgsim.core.errors import TableError

__all__ = ["check_disk", "check_memory", "in_words"]


def in_words(size: float) -> str:
    """A number of bytes for people.

    >>> in_words(853776), in_words(38.2e9)
    ('0.9 MB', '38.2 GB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def check_memory(what: str, needed: float) -> None:
    """Refuse a build that does not fit.

    Raises:
        TableError: less memory is free; says how much is needed and free.
    """
    free = _free_memory()
    if free is not None and needed > free:
        raise TableError(f"{what} needs {in_words(needed)} of memory, and {in_words(free)} are free")


def check_disk(what: str, folder: Path, needed: float) -> None:
    """Refuse a build whose files do not fit into a folder; what lies there already counts as its own.

    Raises:
        TableError: less disk is free; says how much is needed and free.
    """
    own = sum(path.stat().st_blocks * 512 for path in folder.glob("*")) if folder.is_dir() else 0
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free + own
    if needed > free:
        raise TableError(
            f"{what} needs {in_words(needed)} of disk, and {in_words(free)} are free in {folder}"
        )


def _free_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None
