"""Match equity tables: those that come with bgsim, CSV files, and GNU Backgammon's XML files."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

from bgsim.core.errors import MatchEquityError, did_you_mean

__all__ = ["DEFAULT_TABLE", "TABLES", "MatchEquities", "load_match_equities"]

DEFAULT_TABLE = "kazaross-xg2"
TABLES = (
    "kazaross-xg2",
    "rockwell-kazaross",
    "woolsey-heinrich",
    "snowie",
    "gnubg-g11",
    "jacobs-trice",
    "mec26",
)
"""Names of the tables that come with bgsim."""

POST = "post_crawford_trailer"  # first cell of a CSV's last rows
Row = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class MatchEquities:
    """Chances of a player to win the match, by how many points he and his opponent need.

    pre[a - 1][b - 1]: before a game in which he needs a and the other b; where one needs 1 and the other
    more, that is the Crawford game. post: of games after it, the chance of the one who trails by the points
    he needs, the other needing 1; post[0] if he trails, post[1] if the other does. Players of unequal
    strength have other chances each, so nothing is mirrored. None: the table does not say.
    """

    name: str
    pre: tuple[Row, ...]
    post: tuple[Row, Row]

    @property
    def length(self) -> int:
        """Most points of a player that the table knows of."""
        return len(self.pre)

    @property
    def is_equal(self) -> bool:
        """Whether both players have the same chances: what one wins the other loses."""
        n = self.length
        cells = [(self.pre[a][b], self.pre[b][a]) for a in range(n) for b in range(a + 1)]
        return self.post[0] == self.post[1] and all(
            x is not None and y is not None and abs(x + y - 1) < 1e-9 for x, y in cells
        )

    def chance(self, own: int, other: int, *, after_crawford: bool = False) -> float:
        """Chance of the player who needs `own` points against one who needs `other`, 0 or fewer being none.

        after_crawford: the Crawford game has been played; it matters only where one needs 1.

        Raises:
            MatchEquityError: the table does not say; names the points.

        >>> table = load_match_equities("kazaross-xg2")
        >>> table.chance(2, 1), table.chance(2, 1, after_crawford=True), table.chance(0, 5)
        (0.32264, 0.48803, 1.0)
        """
        if own <= 0:
            return 1.0
        if other <= 0:
            return 0.0
        if not after_crawford or min(own, other) > 1 or own == other:
            return self._said(self.pre, own, other, "")
        if other == 1:
            return self._said(self.post, 1, own, " after the Crawford game")
        return 1.0 - self._said(self.post, 2, other, " after the Crawford game")

    def _said(self, rows: Sequence[Row], row: int, column: int, when: str) -> float:
        found = rows[row - 1][column - 1] if row <= len(rows) and column <= len(rows[row - 1]) else None
        if found is None:
            needs = (
                f"{row} points needed against {column}" if not when else f"{column} points needed against 1"
            )
            raise MatchEquityError(
                f"{self.name} has no value for {needs}{when}; it goes to {self.length} points"
            )
        return found


def load_match_equities(name: str | Path = DEFAULT_TABLE) -> MatchEquities:
    """Return a table that comes with bgsim, or that of a file (.csv as those, or .xml of GNU Backgammon).

    Raises:
        MatchEquityError: no such table or file, or not one that can be read; says why.
    """
    if isinstance(name, str) and name in TABLES:
        return _shipped(name)
    path = Path(name).expanduser()
    readers = {".csv": _read_csv, ".xml": _read_xml}
    if path.suffix.lower() not in readers:
        near = did_you_mean(str(name), TABLES)
        raise MatchEquityError(
            f"unknown match equity table {str(name)!r}{near}; use one of: {', '.join(TABLES)}, or a .csv or "
            ".xml file"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise MatchEquityError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise MatchEquityError(f"{path} is not a text file") from None
    return readers[path.suffix.lower()](text, str(path))


@lru_cache
def _shipped(name: str) -> MatchEquities:
    text = files("bgsim.formats").joinpath("met", f"{name}.csv").read_text(encoding="ascii")
    return _read_csv(text, name)


def _number(cell: str, place: str) -> float | None:
    """A chance, None for an empty cell.

    Raises:
        MatchEquityError: it is none.
    """
    cell = cell.strip()
    if not cell:
        return None
    try:
        chance = float(cell)
    except ValueError:
        chance = -1.0
    if not 0 <= chance <= 1:
        raise MatchEquityError(f"{place}: {cell!r} is no chance from 0 to 1")
    return chance


def _read_csv(text: str, name: str) -> MatchEquities:
    """Rows "pre,1,...", "pre,2,...", ...; then a "post_crawford_trailer,..." row, or one for each player."""
    pre: list[Row] = []
    post: list[Row] = []
    for number, cells in enumerate(csv.reader(text.splitlines()), 1):
        if not cells or number == 1:
            continue
        row = tuple(_number(cell, f"{name}, line {number}") for cell in cells[2:])
        if cells[0] == "pre":
            if cells[1] != str(len(pre) + 1):
                raise MatchEquityError(
                    f"{name}, line {number}: row {cells[1]!r} where {len(pre) + 1} was due"
                )
            pre.append(row)
        elif cells[0] == POST:
            post.append(row)
        else:
            raise MatchEquityError(f"{name}, line {number}: a row is 'pre' or '{POST}', not {cells[0]!r}")
    return _table(name, pre, post)


def _table(name: str, pre: Sequence[Row], post: Sequence[Row]) -> MatchEquities:
    if not pre or len(post) not in (1, 2) or any(len(row) != len(pre) for row in pre):
        shape = f"{len(pre)} rows of {', '.join(sorted({str(len(row)) for row in pre})) or 'no'} columns"
        raise MatchEquityError(
            f"{name} is no match equity table: it has {shape} and {len(post)} rows for after the Crawford "
            "game; a table is square, with one such row or one for each player"
        )
    return MatchEquities(name, tuple(pre), (post[0], post[-1]))


def _read_xml(text: str, name: str) -> MatchEquities:
    """A table of GNU Backgammon, numbers only; nothing is fetched and no entity is expanded."""
    if re.search(r"<!\s*ENTITY", text):
        raise MatchEquityError(f"{name} declares entities, which are not expanded: remove them")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise MatchEquityError(f"{name} is no XML file: {error}") from None
    if root.tag != "met":
        raise MatchEquityError(f"{name} is no match equity table: it is a <{root.tag}>, not a <met>")
    pre = root.find("pre-crawford-table")
    posts = {table.get("player", "both"): table for table in root.findall("post-crawford-table")}
    sides = [posts["both"]] if "both" in posts else [posts[side] for side in "01" if side in posts]
    if pre is None or not sides:
        raise MatchEquityError(f"{name} lacks the tables for before or after the Crawford game")
    for table in (pre, *sides):
        if table.get("type") != "explicit":
            raise MatchEquityError(
                f"{name} holds the parameters of a formula ({table.get('type')}), not numbers: this type of "
                "table is not supported"
            )
    rows = [_xml_row(row, name) for row in pre.findall("row")]
    after = [_xml_row(row, name) for table in sides for row in table.findall("row")]
    return _table(name, rows, after)


def _xml_row(row: ElementTree.Element, name: str) -> Row:
    return tuple(_number(cell.text or "", name) for cell in row.findall("me"))
