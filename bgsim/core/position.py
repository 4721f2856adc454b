"""A backgammon position, seen from the player on roll."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import index, mul

from bgsim.core.board import draw_board
from bgsim.core.errors import PositionError
from bgsim.core.gnubg_id import decode_position_id, encode_position_id

__all__ = ["BAR", "MAX_CHECKERS", "OFF", "Position", "position_faults"]

OFF = 0
BAR = 25
MAX_CHECKERS = 15
SIDE_NAMES = ("the player on roll", "the opponent")
_OWN_POINTS = tuple(range(26))
_PLAIN = frozenset({int})


@dataclass(frozen=True, slots=True)
class Position:
    """Where the checkers of both sides stand, the player on roll first.

    Each side is 26 counts from that side's OWN view: entry 0 = borne off, 1 to 24 = own points (1
    is the ace point), 25 = bar. The sum of a side is the number of checkers of its set: 15, 3 in
    hypergammon, any 1 to 15.

    A position in which one side has borne off everything is valid and over. So is the rare one in
    which both sides stand on the bar against closed boards: legal to set up, though no roll ever
    enters.

    Raises:
        PositionError: naming every fault at once.

    Source: the rules of backgammon (P1, P8 of the project's rule list).

    >>> start = Position.from_points({24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5})
    >>> start.gnubg_id, start.pips, start.position_class
    ('4HPwATDgc/ABMA', (167, 167), 'contact')
    """

    on_roll: tuple[int, ...]
    opponent: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("on_roll", "opponent"):
            side = getattr(self, name)
            if type(side) is not tuple or not _PLAIN.issuperset(map(type, side)):
                object.__setattr__(self, name, _plain_side(side))
        faults = position_faults(self.on_roll, self.opponent)
        if faults:
            raise PositionError(*faults)

    @classmethod
    def from_points(
        cls,
        on_roll: Mapping[int, int],
        opponent: Mapping[int, int],
        *,
        checkers: int = MAX_CHECKERS,
    ) -> "Position":
        """Return the position with these checkers, each side as {own point: checkers}.

        Key 25 is the bar and key 0 the checkers borne off, which may be left out: they are then
        what is missing from the `checkers` of a set. A side may be empty.

        Raises:
            PositionError: naming every fault at once.

        >>> Position.from_points({2: 1, 5: 1}, {2: 1, 3: 1}).gnubg_id
        'CgAAEAEAAAAAAA'
        """
        _check_set(checkers)
        mine, faults = _side_from_points(on_roll, SIDE_NAMES[0], checkers)
        theirs, more = _side_from_points(opponent, SIDE_NAMES[1], checkers)
        faults += more
        faults += [fault for fault in position_faults(mine, theirs) if fault not in faults]
        if faults:
            raise PositionError(*faults)
        return cls(mine, theirs)

    @classmethod
    def from_gnubg_id(cls, text: str, *, checkers: int = MAX_CHECKERS) -> "Position":
        """Return the position of a GNU Backgammon Position ID, missing checkers borne off.

        checkers is the number of a side's set (3 in hypergammon), which an id does not hold.

        Raises:
            PositionError: not an id, or an id of no position.

        >>> Position.from_gnubg_id("4HPwATDgc/ABMA").pips
        (167, 167)
        """
        _check_set(checkers)
        on_roll, opponent = decode_position_id(text.strip())
        return cls.from_board(on_roll, opponent, checkers=checkers)

    @classmethod
    def from_board(
        cls,
        on_roll: Sequence[int],
        opponent: Sequence[int],
        *,
        checkers: int = MAX_CHECKERS,
        names: tuple[str, str] = SIDE_NAMES,
    ) -> "Position":
        """Return the position with these counts on points and bar, the rest of the set borne off.

        Both sides have 26 counts from their own view, entry 0 is not looked at. names are what the
        messages call the two sides.

        Raises:
            PositionError: naming every fault at once.
        """
        mine = (checkers - sum(on_roll[1:]), *on_roll[1:])
        theirs = (checkers - sum(opponent[1:]), *opponent[1:])
        if mine[OFF] >= 0 <= theirs[OFF]:
            with suppress(PositionError):
                return cls(mine, theirs)
        raise PositionError(*position_faults(mine, theirs, names=names, checkers=checkers))

    @classmethod
    def from_engine(cls, on_roll: tuple[int, ...], opponent: tuple[int, ...]) -> "Position":
        """Return a position that the engine has made, unchecked: checking is most of the cost."""
        position = object.__new__(cls)
        object.__setattr__(position, "on_roll", on_roll)
        object.__setattr__(position, "opponent", opponent)
        return position

    @property
    def gnubg_id(self) -> str:
        """The GNU Backgammon Position ID (14 characters)."""
        return encode_position_id(self.on_roll, self.opponent)

    def swapped(self) -> "Position":
        """Return the same position with the other player on roll."""
        return Position(self.opponent, self.on_roll)

    @property
    def pips(self) -> tuple[int, int]:
        """The pip counts: (player on roll, opponent), 25 for a checker on the bar."""
        return sum(map(mul, self.on_roll, _OWN_POINTS)), sum(map(mul, self.opponent, _OWN_POINTS))

    @property
    def is_over(self) -> bool:
        """Whether one side has borne off its last checker."""
        return not any(self.on_roll[1:]) or not any(self.opponent[1:])

    @property
    def has_contact(self) -> bool:
        """Whether a checker of one side still has to pass one of the other."""
        if self.is_over:
            return False
        # The rearmost checkers pass each other once their own points sum to 25 or less.
        return _rearmost(self.on_roll) + _rearmost(self.opponent) > 25

    @property
    def position_class(self) -> str:
        """One of "over", "contact", "race" and "bear-off", the last two without contact.

        In a bear-off both sides have all their checkers home.
        """
        if self.is_over:
            return "over"
        if self.has_contact:
            return "contact"
        return "race" if max(_rearmost(self.on_roll), _rearmost(self.opponent)) > 6 else "bear-off"

    def __str__(self) -> str:
        return draw_board(self.on_roll, self.opponent)


def position_faults(
    on_roll: tuple[int, ...],
    opponent: tuple[int, ...],
    *,
    names: tuple[str, str] = SIDE_NAMES,
    checkers: int = MAX_CHECKERS,
) -> list[str]:
    """Return every reason why these two sides (26 counts each, own view) are no position.

    names are what the messages call the sides; checkers is the largest set a side may have.

    >>> position_faults((0,) * 26, (15,) + (0,) * 25)
    ['the player on roll has no checkers at all']
    """
    # Sound positions, millions of them, are waved through without a Python loop.
    if (
        len(on_roll) == len(opponent) == 26
        and _PLAIN.issuperset(map(type, on_roll + opponent))
        and min(on_roll) >= 0 <= min(opponent)
        and 0 < sum(on_roll) <= checkers >= sum(opponent) > 0
        and not any(map(mul, on_roll[1:25], opponent[24:0:-1]))
        and (any(on_roll[1:]) or any(opponent[1:]))
    ):
        return []
    faults = _side_faults(on_roll, names[0], checkers)
    faults += _side_faults(opponent, names[1], checkers)
    if len(on_roll) == len(opponent) == 26:
        for point in range(1, 25):
            if _is_count(on_roll[point]) and _is_count(opponent[25 - point]):
                faults.append(
                    f"both sides are on one point: {point} of {names[0]}, which is {25 - point} of {names[1]}"
                )
        if not faults:
            faults.append("both sides have borne off all their checkers, only one of them can have")
    return faults


def _side_faults(side: tuple[int, ...], name: str, checkers: int) -> list[str]:
    """Return the faults of one side by itself."""
    if len(side) != 26:
        return [f"{name} has {len(side)} counts, 26 are needed: off, points 1 to 24, bar"]
    faults = []
    for point, n in enumerate(side):
        if type(n) is not int:
            faults.append(f"{name} has {n!r} checkers {_place(point)}, a whole number is needed")
        elif n < 0 and point != OFF:
            faults.append(f"{name} has {n} checkers {_place(point)}, 0 to {checkers} are allowed")
    if faults:
        return faults
    # A negative number off only says that more than a set is on the board.
    total = sum(side) if side[OFF] >= 0 else sum(side[1:])
    if total > checkers:
        faults.append(f"{total} checkers for {name}, at most {checkers} are allowed")
    elif side[OFF] < 0:
        faults.append(f"{name} has {side[OFF]} checkers off, 0 to {checkers} are allowed")
    elif total == 0:
        faults.append(f"{name} has no checkers at all")
    return faults


def _side_from_points(
    points: Mapping[int, int], name: str, checkers: int
) -> tuple[tuple[int, ...], list[str]]:
    """Return one side's 26 counts and the faults that only {point: checkers} can have."""
    side = [0] * 26
    faults = []
    for point, n in points.items():
        if point in _OWN_POINTS:
            side[point] = n
        else:
            faults.append(f"{name} has point {point!r}, 1 to 24, 25 (bar) and 0 (off) are allowed")
    plain = _plain_side(side)
    faults += _side_faults(plain, name, checkers) if any(plain) else []
    if not faults and OFF not in points:
        return (checkers - sum(plain), *plain[1:]), []
    if not faults and sum(plain) != checkers:
        faults.append(
            f"{name} has {sum(plain[1:])} checkers on the board and {plain[OFF]} off, "
            f"together they must be the {checkers} of a set"
        )
    return plain, faults


def _check_set(checkers: int) -> None:
    if not 1 <= checkers <= MAX_CHECKERS:
        raise PositionError(f"a set of {checkers} checkers a side was asked for, 1 to 15 are allowed")


def _plain_side(side: Iterable[int]) -> tuple[int, ...]:
    """Return counts as Python integers; what is no whole number stays, to be named as a fault."""
    return tuple(index(n) if hasattr(n, "__index__") else n for n in side)


def _rearmost(side: tuple[int, ...]) -> int:
    """Return the highest own point with a checker, 25 for the bar, 0 for none."""
    return max((point for point in range(1, 26) if side[point]), default=0)


def _is_count(n: object) -> bool:
    return type(n) is int and n > 0


def _place(point: int) -> str:
    return "off" if point == OFF else "on the bar" if point == BAR else f"on point {point}"
