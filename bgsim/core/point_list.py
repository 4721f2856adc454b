"""Point lists: "24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5", the player on roll first."""

from bgsim.core.errors import PositionError
from bgsim.core.numbers import parse_whole
from bgsim.core.position import BAR, OFF, Position

__all__ = ["format_point_list", "looks_like_point_list", "parse_point_list"]

_NAMES = ("the player on roll", "the opponent")
_WORDS = {"bar": BAR, "off": OFF}
_FORM = "write point:checkers, as in 24:2, bar:1 or off:3"


def looks_like_point_list(text: str) -> bool:
    """Return whether a text is meant as a point list, sound or not.

    >>> looks_like_point_list("6:5 / 5:x"), looks_like_point_list("4HPwATDgc/ABMA")
    (True, False)
    """
    for entry in _entries(text.replace("/", " ")):
        head, colon, _ = entry.partition(":")
        # A longer number is the beginning of an id.
        if colon and (head.lower() in _WORDS or (head.isdigit() and len(head) <= 3)):
            return True
    return False


def parse_point_list(text: str, *, checkers: int = 15) -> Position:
    """Return the position of a point list, the player on roll first, each from his own ace point.

    Entries are point:checkers, parted by spaces or commas; "bar" is 25 and "off" 0. What a side
    lacks of its `checkers` is borne off, so a side may be empty, and "off" need not be said.

    Raises:
        PositionError: naming every fault at once.

    >>> parse_point_list("5:1 2:1 / 3:1 2:1").gnubg_id
    'CgAAEAEAAAAAAA'
    """
    halves = text.split("/")
    if len(halves) != 2:
        raise PositionError(
            f"a point list is two sides with one '/' between them, and this has {len(halves) - 1}"
        )
    faults: list[str] = []
    mine, theirs = (_read_side(half, name, faults) for half, name in zip(halves, _NAMES, strict=True))
    try:
        position = Position.from_points(mine, theirs, checkers=checkers)
    except PositionError as error:
        raise PositionError(*faults, *error.faults) from None
    if faults:
        raise PositionError(*faults)
    return position


def format_point_list(position: Position) -> str:
    """Return the point list of a position, borne off checkers left out.

    >>> format_point_list(Position.from_points({25: 1, 6: 2}, {}))
    'bar:1 6:2 /'
    """
    halves = []
    for side in (position.on_roll, position.opponent):
        entries = [f"{point}:{side[point]}" for point in range(24, 0, -1) if side[point]]
        halves.append(" ".join([f"bar:{side[BAR]}"] * (side[BAR] > 0) + entries))
    return f"{halves[0]} / {halves[1]}".strip()


def _read_side(text: str, name: str, faults: list[str]) -> dict[int, int]:
    """Return one side's {point: checkers}, and add what could not be read to faults."""
    points: dict[int, int] = {}
    for entry in _entries(text):
        head, colon, tail = entry.partition(":")
        point = _WORDS.get(head.lower(), parse_whole(head))
        count = parse_whole(tail)
        if not colon or point is None or count is None:
            faults.append(f"'{entry}' of {name} cannot be read, {_FORM}")
        elif point in points:
            faults.append(f"{name} has point {head} twice, give each point once")
        else:
            points[point] = count
    return points


def _entries(text: str) -> list[str]:
    return text.replace(",", " ").split()
