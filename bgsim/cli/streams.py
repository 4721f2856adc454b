"""stdout and stderr as the commands find them: closed, full, or of few signs."""

import contextlib
import io
import os
import sys
from pathlib import Path
from typing import Any


class _Forgiving(io.FileIO):
    """A file whose writes never fail: notes that cannot be kept are no reason to lose results."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def open_streams() -> None:
    """Make stdout and stderr such that neither their absence nor an odd sign ends a command."""
    if isinstance(sys.stderr, io.TextIOWrapper):
        raw = _Forgiving(sys.stderr.fileno(), "w", closefd=False)
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(raw), encoding=sys.stderr.encoding, line_buffering=True
        )
    sys.stdout = sys.stdout or _nowhere()  # it is None where the descriptor is closed
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without ± is no reason to fail


def give_up_stdout() -> None:
    """Send stdout nowhere: what is left in its buffer would fail once more at the exit, and loudly."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _nowhere() -> io.TextIOWrapper:
    return Path(os.devnull).open("w", encoding="utf-8")
