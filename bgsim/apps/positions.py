"""Positions from arguments and text files."""

import contextlib
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bgsim.core.errors import BgsimError, PlanError, PositionError
from bgsim.core.files import as_path
from bgsim.core.notation import SETUP_NAMES, parse
from bgsim.core.rules import check_playable, parse_rules
from bgsim.core.state import GameState
from bgsim.run.plan import Root, check_root

__all__ = ["PositionText", "read_position_file", "roots_of", "texts_of"]

STDIN = "-"
COMMENT = re.compile(r"\s+#")


@dataclass(frozen=True, slots=True)
class PositionText:
    """A position as somebody wrote it, its name, and where it stands, for messages."""

    text: str
    name: str = ""
    place: str = ""


def read_position_file(path: Path) -> list[PositionText]:
    """Return the positions of a text file: one a line, in any form that `bgsim.parse` reads.

    Blank lines and lines that start with # are left out; what follows " #" on a line names the position.

    Raises:
        PlanError: no such file, not a text file, or nothing in it.
    """
    try:
        return _read_positions(path.read_bytes(), str(path))
    except OSError as error:
        raise PlanError(f"cannot read {path}: {error.strerror}") from None


def _read_positions(data: bytes, path: str) -> list[PositionText]:
    """The positions of a file's bytes; path is what messages call it."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PlanError(f"{path} is not a text file of positions (UTF-8)") from None
    if "\0" in text:
        raise PlanError(f"{path} is not a text file of positions (it has zero bytes)")
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        position, _, name = COMMENT.sub(" #", line.strip(), count=1).partition(" #")
        if position and not position.startswith("#"):
            found.append(PositionText(position.strip(), name.strip(), f"{path}, line {number}"))
    if not found:
        raise PlanError(f"{path} holds no position: write one a line")
    return found


def texts_of(arguments: Iterable[str]) -> list[PositionText]:
    """Positions of command line arguments: each a position, a text file of them, or - for stdin."""
    found: list[PositionText] = []
    for argument in arguments:
        if argument == STDIN:
            found += _read_positions(sys.stdin.buffer.read() if sys.stdin else b"", "stdin")
        elif _names_a_file(argument):
            found += read_position_file(as_path(argument))
        else:
            found.append(PositionText(argument))
    return found


def _names_a_file(argument: str) -> bool:
    if argument in SETUP_NAMES:
        return False  # even if a file of that name lies here: ./start means the file
    try:
        path = as_path(argument)
        return path.exists() and not path.is_dir()  # a pipe too: <(...)
    except (OSError, ValueError):  # longer than a file name may be, or with a null in it
        return False


def roots_of(
    texts: Sequence[PositionText], *, rules: str | None = None, opening: bool | None = None
) -> tuple[list[Root], list[str]]:
    """Return the roots that can be rolled out, and a sentence for each that cannot.

    Raises:
        PositionError, RulesError, PlanError: a position that stands in no file.
        PositionError: none of a file's can be rolled out.
        RulesError: the rules cannot be, or are not played yet.
    """
    if rules is not None:
        check_playable(parse_rules(rules))  # a mistake in them is no fault of the positions
    roots: list[Root] = []
    faults: list[str] = []
    for entry in texts:
        try:
            state = parse(entry.text, rules=rules, opening=opening)
            root = Root(state, entry.name or _setup_name(entry.text, state))
            check_root(root)
            roots.append(root)
        except PositionError as error:
            if not entry.place:
                raise PositionError(*_with_hint(entry.text, error)) from None
            faults.append(f"{entry.place}: {error}")
        except BgsimError as error:
            if not entry.place:
                raise
            faults.append(f"{entry.place}: {error}")
    if not roots:
        raise PositionError(*faults)
    return roots, faults


def _setup_name(text: str, state: GameState) -> str:
    """The name of a set-up that was asked for by name; start is that of the rules."""
    if text.lower() not in SETUP_NAMES:
        return ""
    return "start" if state.rules.setup == "standard" else state.rules.setup


def _with_hint(text: str, error: PositionError) -> Sequence[str]:
    """The faults, or the likelier one: a folder, or a file that is not there."""
    with contextlib.suppress(OSError, ValueError):
        if text.strip("/") and Path(text).is_dir():  # "//////////////" has the form of an id
            return (f"{text} is a folder: give a position or a text file of them",)
    if Path(text).suffix in {".txt", ".toml", ".csv", ".mat", ".parquet"}:
        return (f"there is no file {text}",)
    return error.faults
