"""The drawing of the board, compared with pictures as a player would write them."""

from dataclasses import replace

from bgsim.core.match import Cube, CubeOwner, Pending
from bgsim.core.notation import parse
from bgsim.core.position import Position
from bgsim.core.state import GameState

START = """
 +13-14-15-16-17-18------19-20-21-22-23-24-+  O: pips 167, off 0
 | X           O    |   | O              X |
 | X           O    |   | O              X |
 | X           O    |   | O                |
 | X                |   | O                |
 | X                |   | O                |
 |                  |BAR|                  |
 | O                |   | X                |
 | O                |   | X                |
 | O           X    |   | X                |
 | O           X    |   | X              O |
 | O           X    |   | X              O |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+  X: pips 167, off 0
"""

BAR_OFF_AND_STACKS = """
 +13-14-15-16-17-18------19-20-21-22-23-24-+  O: pips 115, off 2
 | X     O          | X |       O        O |
 |       O          | X |                O |
 |       O          |   |                O |
 |                  |   |                O |
 |                  |   |                6 |
 |                  |BAR|                  |
 |                  |   |               10 |
 |                  |   |                X |
 |                  | O |                X |
 |                  | O |                X |
 |                  | O |                X |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+  X: pips 73, off 2
"""

OPENING = """
 +13-14-15-16-17-18------19-20-21-22-23-24-+  O: pips 167, off 0
 | X           O    |   | O              X |
 | X           O    |   | O              X |
 | X           O    |   | O                |
 | X                |   | O                |
 | X                |   | O                |  money
 |                  |BAR|                  |  cube 1, centred
 | O                |   | X                |  X to play the opening roll
 | O                |   | X                |
 | O           X    |   | X                |
 | O           X    |   | X              O |
 | O           X    |   | X              O |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+  X: pips 167, off 0
 Position ID: 4HPwATDgc/ABMA
 Match ID: cAkAAAAAAAAA
 XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10
"""


def test_start_position() -> None:
    start = Position.from_points({24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5})
    assert str(start) == START.strip("\n")


def test_bar_off_and_stacks_above_five() -> None:
    position = Position.from_points({25: 2, 13: 1, 1: 10}, {25: 3, 10: 3, 4: 1, 1: 6})
    assert str(position) == BAR_OFF_AND_STACKS.strip("\n")


def test_state_at_the_opening() -> None:
    assert str(parse("start")) == OPENING.strip("\n")


def said(state: GameState) -> list[str]:
    """Return the notes at the right of the board, from top to bottom."""
    rows = str(state).splitlines()[:13]
    return [row.rpartition("  ")[2] for row in rows if row.rstrip() != row[:44].rstrip()]


def test_notes_beside_the_board() -> None:
    state = parse("XGID=-b----E-C---eE---c-e----B-:1:-1:1:63:2:6:0:7:10")
    assert said(state)[1:4] == ["7 point match, X 2, O 6", "cube 2, owned by O", "X to play 6-3"]
    owned = replace(state, cube=Cube(4, CubeOwner.ON_ROLL), roll=None)
    assert said(owned)[2:4] == ["cube 4, owned by X", "X to roll"]
    crawford = parse("XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:2:6:1:7:10")
    assert said(crawford)[1] == "7 point match, X 6, O 2, Crawford game"
    session = parse("XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:2:6:1:0:10")
    assert said(session)[1] == "money, X 6, O 2"


def test_notes_about_what_waits() -> None:
    start = parse("4HPwATDgc/ABMA")
    assert said(replace(start, pending=Pending.BEAVER))[3] == "O beavers to 4, X to answer"
    assert said(replace(start, pending=Pending.RACCOON))[3] == "X raccoons to 8, O to answer"
    assert said(replace(start, resigned=2))[3] == "X resigns a gammon"
    assert said(replace(start, resigned=-1))[3] == "O resigns a single game"
    assert said(parse("1:3 / off:15"))[3] == "game over"


def test_no_line_ends_in_spaces_and_all_rows_are_as_wide() -> None:
    rows = str(Position.from_points({25: 15}, {25: 15})).splitlines()
    assert {len(row.partition("  O:")[0].partition("  X:")[0]) for row in rows} == {44}
    assert all(row == row.rstrip() for row in rows)
