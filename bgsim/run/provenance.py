"""Where a table comes from: version, commit, machine."""

import hashlib
import os
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from bgsim import engine
from bgsim._version import __version__
from bgsim.kernels._jit import source_hash
from bgsim.run.plan import NUMBERS_VERSION

__all__ = ["build", "git_commit", "provenance"]


@cache
def build() -> str:
    """Which bgsim this is: where two say the same, they give the same numbers."""
    weights = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(engine.__file__).parent.glob("*.npz")):
        weights.update(path.read_bytes())
    parts = f"numbers {NUMBERS_VERSION}, kernels {source_hash()}, weights {weights.hexdigest()}"
    return f"bgsim {__version__} ({parts})"


@cache
def git_commit() -> str:
    """The commit of a checkout that bgsim runs from, "+dirty" if files were changed, or "" elsewhere."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return ""
    command = [
        "git",
        "-C",
        str(root),
        "describe",
        "--always",
        "--dirty=+dirty",
        "--abbrev=40",
        "--exclude=*",
    ]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=5).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def provenance() -> dict[str, Any]:
    """Entries for a table's file metadata."""
    return {
        "version": __version__,
        "git_commit": git_commit(),
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        },
    }
