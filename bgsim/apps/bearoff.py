"""Exact tables for people: built, opened, asked, checked, exported."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bgsim.apps.bearoff_text import rolls_in_words, values_in_words
from bgsim.bearoff.answers import (
    ask_one_sided,
    ask_two_sided,
    side_counts,
    win_by_rolls,
)
from bgsim.bearoff.checks import Recomputed, recompute
from bgsim.bearoff.exports import export_one_sided, export_two_sided
from bgsim.bearoff.one_sided import OneSided, build_one_sided
from bgsim.bearoff.opening import open_table
from bgsim.bearoff.two_sided import TwoSided, build_two_sided
from bgsim.core.errors import PositionError, TableError, did_you_mean
from bgsim.core.files import as_path
from bgsim.core.notation import parse
from bgsim.core.point_list import looks_like_point_list, parse_point_list
from bgsim.core.position import Position
from bgsim.core.state import GameState

__all__ = ["KINDS", "Bearoff", "Checked", "build_bearoff", "check_bearoff", "open_bearoff"]

KINDS = ("one-sided", "two-sided")
CHECKERS = {"one-sided": 15, "two-sided": 6}  # where none are named
Asked = GameState | Position | str


@dataclass(frozen=True, slots=True)
class Bearoff:
    """An exact table that can be asked about positions."""

    path: Path
    table: OneSided | TwoSided

    @property
    def kind(self) -> str:
        """one-sided or two-sided."""
        return "one-sided" if isinstance(self.table, OneSided) else "two-sided"

    def describe(self) -> str:
        """What it is, in a line."""
        size = f"{self.table.checkers} checkers on {self.table.points} points"
        n = int(self.table.firsts[-1])
        if isinstance(self.table, OneSided):
            return f"one-sided, {size}, {n:,} positions" + ("" if self.table.has_chances else ", means only")
        return f"two-sided, {size}, {n**2:,} pairs" + (", beavers" if self.table.beavers else "")

    def in_words(self, text: str, answer: Mapping[str, Any]) -> str:
        """An answer for people: the board and what is known of it."""
        return (rolls_in_words if self.kind == "one-sided" else values_in_words)(text, answer)

    def query(self, position: Asked) -> dict[str, Any]:
        """What the table says of one position; see `query_all`."""
        return self.query_all([position])[0]

    def query_all(self, positions: Sequence[Asked]) -> list[dict[str, Any]]:
        """What the table says of positions.

        A two-sided table: `win` and the other cumulative chances, `equity_cubeless`, the money equities of
        not doubling now, and the best actions, to the player on roll. A one-sided one: of a single side
        ("1:5 2:4") `mean_rolls`, `epc`, `wastage`, `distribution`; of a whole position both sides' answers
        and `win` as if neither cared for the other.

        Raises:
            PositionError, TableError: a position that cannot be or that the table does not cover.
        """
        if isinstance(self.table, OneSided):
            return [self._rolls(position) for position in positions]
        found = [_position_of(position) for position in positions]
        columns = {name: column.tolist() for name, column in ask_two_sided(self.table, found).items()}
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        return [{"position_id": p.gnubg_id, **row} for p, row in zip(found, rows, strict=True)]

    def _rolls(self, position: Asked) -> dict[str, Any]:
        assert isinstance(self.table, OneSided)
        if isinstance(position, str) and looks_like_point_list(position) and "/" not in position:
            alone = parse_point_list(f"{position} /")
            return ask_one_sided(self.table, side_counts(alone, False, self.table.points))
        whole = _position_of(position)
        mine, theirs = (
            ask_one_sided(self.table, side_counts(whole, opponent, self.table.points))
            for opponent in (False, True)
        )
        answer: dict[str, Any] = {"position_id": whole.gnubg_id, "on_roll": mine, "opponent": theirs}
        if self.table.has_chances:
            answer["win"] = win_by_rolls(mine["distribution"], theirs["distribution"])
        return answer

    def export(self, out: str | Path) -> None:
        """Write it as a Parquet file with columns for people; pairs of a two-sided table are rows.

        Raises:
            TableError: the file is there or cannot be written.
        """
        if isinstance(self.table, OneSided):
            export_one_sided(self.table, out)
        else:
            export_two_sided(self.table, out)


def _position_of(position: Asked) -> Position:
    if isinstance(position, str):
        position = parse(position)
    if isinstance(position, GameState):
        position = position.position
    if not isinstance(position, Position):
        raise PositionError(f"{position!r} is no position: give a GameState, a Position or a text")
    return position


def build_bearoff(
    kind: str,
    *,
    out: str | Path,
    points: int = 6,
    checkers: int | None = None,
    threads: int = 1,
    beavers: bool = False,
    started: Callable[[int], None] = lambda count: None,
    listener: Callable[[int], None] = lambda count: None,
) -> Bearoff:
    """Work out a table of a kind (one-sided, two-sided) and write it; see the builders for what they need.

    checkers: 15 of a one-sided, 6 of a two-sided table if none are named. `started` is told the positions
    (or pairs) that are to do, `listener` those that a step has done.

    Raises:
        TableError: no such kind or size, too little memory or disk, a file that is there or fails.
    """
    if kind not in KINDS:
        raise TableError(f"unknown kind {kind!r}{did_you_mean(kind, KINDS)}; use: {', '.join(KINDS)}")
    if beavers and kind != "two-sided":
        raise TableError(f"a {kind} table knows no cube, so beavers make no difference to it")
    size: dict[str, Any] = {"points": points, "checkers": CHECKERS[kind] if checkers is None else checkers}
    how: dict[str, Any] = {"out": out, "threads": threads, "started": started, "listener": listener}
    if kind == "one-sided":
        return Bearoff(as_path(out), build_one_sided(**size, **how))
    return Bearoff(as_path(out), build_two_sided(**size, **how, beavers=beavers))


def open_bearoff(path: str | Path, *, check: bool | None = None) -> Bearoff:
    """Return a table that was built before, mapped into memory.

    check: compare checksums of every byte; by default of tables up to 256 MB.

    Raises:
        TableError: there is none, it is unfinished, damaged, or of another version; says which.
    """
    return Bearoff(as_path(path), open_table(path, check=check))


@dataclass(frozen=True, slots=True)
class Checked:
    """A table whose bytes are those that were written; a two-sided one was also worked out again in part."""

    bearoff: Bearoff
    recomputed: Recomputed | None


def check_bearoff(
    path: str | Path, *, pairs: int = 100_000, seed: int = 0, listener: Callable[[int], None] = lambda n: None
) -> Checked:
    """Read every byte of a table, and work random pairs of a two-sided one out again from their successors.

    Raises:
        TableError: it is damaged, or some pair is not what its successors say.
    """
    found = open_bearoff(path, check=True)
    if isinstance(found.table, OneSided):
        return Checked(found, None)
    done = recompute(found.table, pairs=pairs, seed=seed, listener=listener)
    if not done.passed:
        wrong = ", ".join(name for name, share in done.worst.items() if share > 1)
        raise TableError(f"{path} is wrong: {wrong} of some pairs are not what their successors say")
    return Checked(found, done)
