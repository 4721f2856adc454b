"""XGIDs: ten fields after "XGID=", parted by colons.

1 board: 26 characters, always from the bottom (upper case) player, whoever is on roll: the top
player's bar, the bottom player's 1-point to 24-point, the bottom player's bar; "-" is empty, A to
O are 1 to 15 bottom checkers, a to o top ones. 2 cube (log2). 3 cube position: 1 bottom, -1 top, 0
centred. 4 turn: 1 bottom, -1 top. 5 dice: 00 to roll, 63 rolled, D doubled, B beavered, R
raccooned. 6, 7 score of bottom, top. 8 match: 1 in the Crawford game; money: 1 for Jacoby plus 2
for beavers. 9 match length, 0 for money. 10 largest cube (log2).

Source: the XGID description of eXtreme Gammon's help pages; turns and flags as in public cases
F03, F07 and F11.
"""

from typing import TYPE_CHECKING

from bgsim.core.match import MAX_CUBE_VALUE, Cube, CubeOwner, Pending, Score, score_faults
from bgsim.core.numbers import parse_whole
from bgsim.core.position import Position
from bgsim.core.reading import KeptFields, Reading
from bgsim.core.rules import MAX_MATCH_LENGTH

if TYPE_CHECKING:
    from bgsim.core.state import GameState

__all__ = ["FIELDS", "XGID_PREFIX", "encode_xgid", "read_xgid"]

XGID_PREFIX = "XGID="
FIELDS = (
    "board",
    "cube",
    "cube position",
    "turn",
    "dice",
    "score of the bottom player",
    "score of the top player",
    "Crawford or Jacoby and beaver flag",
    "match length",
    "largest cube",
)
_HARMLESS = ("", "0", "0", "1", "00", "0", "0", "0", "0", "10")
_NAMES = ("the bottom player", "the top player")
_SIDES = {"1": 1, "-1": -1}
_COUNTS = {"-": 0} | {chr(64 + n): n for n in range(1, 16)} | {chr(96 + n): -n for n in range(1, 16)}
_LETTERS = {n: char for char, n in _COUNTS.items()}
_DICE = {f"{a}{b}": (a, b) for a in range(1, 7) for b in range(1, 7)}
_PENDING = {"D": Pending.DOUBLE, "B": Pending.BEAVER, "R": Pending.RACCOON}
_PENDING_LETTERS = {pending: letter for letter, pending in _PENDING.items()}
_MOST_CUBE = MAX_CUBE_VALUE.bit_length() - 1
_MOST_MAX_CUBE = 99
_DEFAULT_MAX_CUBE = 10


def read_xgid(text: str, checkers: int) -> Reading:
    """Return what an XGID (with or without "XGID=") says, its faults included.

    checkers is the number of a side's set, which an XGID does not hold.

    >>> read_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:63:0:0:3:0:10", 15).roll
    (6, 3)
    """
    reading = Reading()
    given = text.strip().removeprefix(XGID_PREFIX).split(":")
    # Missing fields are one fault together, so they are read as harmless ones here.
    board, cube, cube_position, turn, dice, bottom, top, flags, length, max_cube = [
        *given[:10],
        *_HARMLESS[len(given) :],
    ]
    reading.bottom_on_roll = turn != "-1"
    _read_board(reading, board, checkers)
    if len(given) != len(FIELDS):
        reading.faults.append(
            f"the XGID has {len(given)} fields, it needs {len(FIELDS)}: {', '.join(FIELDS)}"
        )
    _read_cube(reading, cube, cube_position)
    if turn not in _SIDES:
        reading.faults.append(f"the turn is '{turn}', 1 (bottom) or -1 (top) is allowed")
    _read_dice(reading, dice)
    flag_bits = _read_score(reading, (bottom, top), flags, length)
    max_cube_log2 = _number(reading, "largest cube (log2)", max_cube, _MOST_MAX_CUBE)
    reading.kept = KeptFields(
        jacoby=None if flag_bits is None else bool(flag_bits & 1),
        beavers=None if flag_bits is None else bool(flag_bits & 2),
        max_cube_log2=max_cube_log2,
    )
    return reading


def encode_xgid(state: "GameState") -> str:
    """Return the XGID of a state, for a resigned game that of the state before the resignation."""
    bottom, top = state.position.on_roll, state.position.opponent
    score = state.score
    points = [score.on_roll, score.opponent]
    turn = 1
    if not state.bottom_on_roll:
        bottom, top, turn = top, bottom, -1
        points.reverse()
    board = [_LETTERS[n or -m] for n, m in zip(bottom, reversed(top), strict=True)]
    board[0] = _LETTERS[-top[25]]
    board[25] = _LETTERS[bottom[25]]
    dice = _PENDING_LETTERS.get(state.pending) or "".join(map(str, state.roll or (0, 0)))
    flags = int(score.crawford) if score.is_match else _money_flags(state)
    max_cube = state.kept.max_cube_log2
    if max_cube is None:
        limit = state.rules.max_cube
        max_cube = _DEFAULT_MAX_CUBE if limit is None else limit.bit_length() - 1
    fields = (state.cube.log2, state.cube.owner * turn, turn, dice, *points)
    tail = (flags, score.match_length, max_cube)
    return f"{XGID_PREFIX}{''.join(board)}:{':'.join(map(str, fields + tail))}"


def _money_flags(state: "GameState") -> int:
    """Return the Jacoby and beaver bits, as an id said them or else as the rules have them."""
    kept, rules = state.kept, state.rules
    jacoby = rules.jacoby if kept.jacoby is None else kept.jacoby
    beavers = rules.beavers if kept.beavers is None else kept.beavers
    return jacoby + 2 * beavers


def _read_board(reading: Reading, board: str, checkers: int) -> None:
    faults = reading.faults
    if len(board) != 26:
        faults.append(f"the board part has {len(board)} characters, it needs 26")
        return
    counts = list(map(_COUNTS.get, board))
    if None in counts:
        wrong = " ".join(repr(char) for char in dict.fromkeys(board) if char not in _COUNTS)
        faults.append(f"the board part holds {wrong}, '-', A to O and a to o are allowed")
    values = [n or 0 for n in counts]
    if values[0] > 0:
        faults.append(
            f"the board part begins with '{board[0]}': the first place is the bar of the top "
            "player, who has lower case letters"
        )
    if values[25] < 0:
        faults.append(
            f"the board part ends with '{board[25]}': the last place is the bar of the bottom "
            "player, who has upper case letters"
        )
    bottom = [n if n > 0 else 0 for n in values]
    top = [-n if n < 0 else 0 for n in reversed(values)]
    sides, names = (bottom, top), _NAMES
    if not reading.bottom_on_roll:
        sides, names = (top, bottom), (_NAMES[1], _NAMES[0])
    reading.position = reading.attempt(lambda: Position.from_board(*sides, checkers=checkers, names=names))


def _read_cube(reading: Reading, cube: str, cube_position: str) -> None:
    log2 = _number(reading, "cube (log2)", cube, _MOST_CUBE)
    side = _SIDES.get(cube_position, 0 if cube_position == "0" else None)
    if side is None:
        reading.faults.append(f"the cube position is '{cube_position}', 1 (bottom), -1 (top) or 0 is allowed")
    if log2 is not None and side is not None:
        owner = side if reading.bottom_on_roll else -side
        reading.cube = Cube(1 << log2, CubeOwner(owner))


def _read_dice(reading: Reading, dice: str) -> None:
    if dice in _DICE:
        reading.roll = _DICE[dice]
    elif dice in _PENDING:
        reading.pending = _PENDING[dice]
    elif dice != "00":
        reading.faults.append(
            f"the dice are '{dice}', allowed are 00 (to roll), two dice from 1 to 6 such as 63, "
            "D (doubled), B (beavered) and R (raccooned)"
        )


def _read_score(reading: Reading, points: tuple[str, str], flags: str, length: str) -> int | None:
    """Read the score; return the Jacoby and beaver bits, None in a match or when faulty."""
    match_length = _number(reading, "match length", length, MAX_MATCH_LENGTH)
    bottom = _number(reading, f"score of {_NAMES[0]}", points[0], MAX_MATCH_LENGTH)
    top = _number(reading, f"score of {_NAMES[1]}", points[1], MAX_MATCH_LENGTH)
    what = "Crawford flag" if match_length else "Jacoby (1) and beaver (2) flag"
    bits = _number(reading, what, flags, 1 if match_length else 3)
    if match_length is None or bottom is None or top is None or bits is None:
        return None
    # A one point match has no Crawford game, yet ids with the flag are about (public case C10).
    crawford = match_length > 1 and bits == 1
    if found := score_faults(match_length, bottom, top, crawford, _NAMES):
        reading.faults += found
        return None
    if not reading.bottom_on_roll:
        bottom, top = top, bottom
    reading.score = Score(match_length, bottom, top, crawford)
    return None if match_length else bits


def _number(reading: Reading, what: str, text: str, most: int) -> int | None:
    """Return a field as a number from 0 to most, or None after noting the fault."""
    number = parse_whole(text)
    if number is not None and number <= most:
        return number
    reading.faults.append(f"the {what} is '{text}', 0 to {most} is allowed")
    return None
