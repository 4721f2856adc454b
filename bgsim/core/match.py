"""The cube, the score and what waits for an answer, seen from the player on roll."""

from dataclasses import dataclass
from enum import Enum, IntEnum

from bgsim.core.errors import PositionError
from bgsim.core.rules import MAX_MATCH_LENGTH

__all__ = ["MAX_CUBE_VALUE", "Cube", "CubeOwner", "Pending", "Score", "score_faults"]

MAX_CUBE_VALUE = 1 << 15  # what the four bits of a Match ID can hold
SIDE_NAMES = ("the player on roll", "the opponent")


class CubeOwner(IntEnum):
    """Who may turn the cube: both while it is centred, else its owner alone."""

    CENTRED = 0
    ON_ROLL = 1
    OPPONENT = -1

    def swapped(self) -> "CubeOwner":
        """Return the owner as the other player names him."""
        return CubeOwner(-self)


class Pending(Enum):
    """A turn of the cube that waits for an answer."""

    NONE = "nothing"
    DOUBLE = "double"  # by the player on roll, the opponent answers
    BEAVER = "beaver"  # by the opponent, the player on roll answers
    RACCOON = "raccoon"  # by the player on roll, the opponent answers


@dataclass(frozen=True, slots=True)
class Cube:
    """The doubling cube: its value as it lies (1, 2, 4, ...) and its owner.

    While a double waits for an answer this is the cube before the double.

    Raises:
        PositionError: the value is no power of two from 1 to 32768.

    >>> Cube(2, CubeOwner.OPPONENT).log2
    1
    """

    value: int = 1
    owner: CubeOwner = CubeOwner.CENTRED

    def __post_init__(self) -> None:
        if not 1 <= self.value <= MAX_CUBE_VALUE or self.value & (self.value - 1):
            raise PositionError(
                f"a cube of {self.value} cannot be: allowed are powers of two to {MAX_CUBE_VALUE}"
            )

    @property
    def log2(self) -> int:
        """How often the cube has been turned from 1."""
        return self.value.bit_length() - 1

    def swapped(self) -> "Cube":
        """Return the cube seen by the other player."""
        return Cube(self.value, self.owner.swapped())


@dataclass(frozen=True, slots=True)
class Score:
    """The points won before this game; match_length 0 is money play.

    crawford says that this game is the Crawford game: the first after a player came within one
    point of the match, in which nobody may double. A match with a player one point away and
    crawford False is past it.

    Raises:
        PositionError: naming every fault at once.

    Source: rules of backgammon, Crawford rule (C8 and C10 of the project's rule list).

    >>> Score(7, 2, 6, crawford=True).away
    (5, 1)
    """

    match_length: int = 0
    on_roll: int = 0
    opponent: int = 0
    crawford: bool = False

    def __post_init__(self) -> None:
        faults = score_faults(self.match_length, self.on_roll, self.opponent, self.crawford)
        if faults:
            raise PositionError(*faults)

    @property
    def is_match(self) -> bool:
        """Whether a match is played, not a money game."""
        return self.match_length > 0

    @property
    def away(self) -> tuple[int, int]:
        """The points that (player on roll, opponent) still need; (0, 0) in money play."""
        if not self.is_match:
            return 0, 0
        return self.match_length - self.on_roll, self.match_length - self.opponent

    def swapped(self) -> "Score":
        """Return the score seen by the other player."""
        return Score(self.match_length, self.opponent, self.on_roll, self.crawford)


def score_faults(
    match_length: int,
    on_roll: int,
    opponent: int,
    crawford: bool,
    names: tuple[str, str] = SIDE_NAMES,
) -> list[str]:
    """Return every reason why this score cannot be; names are what the messages call the sides."""
    if not 0 <= match_length <= MAX_MATCH_LENGTH:
        return [f"a match of {match_length} points cannot be: 0 (money) to {MAX_MATCH_LENGTH}"]
    most = match_length - 1 if match_length else MAX_MATCH_LENGTH
    faults = [
        f"{name} has {points} points, 0 to {most} are allowed"
        + (f" before a game of a {match_length} point match" if match_length else "")
        for name, points in zip(names, (on_roll, opponent), strict=True)
        if not 0 <= points <= most
    ]
    if crawford and not faults:
        faults += _crawford_faults(match_length, match_length - on_roll, match_length - opponent)
    return faults


def _crawford_faults(match_length: int, away: int, opponent_away: int) -> list[str]:
    """Return why a game with these points still needed is not the Crawford game."""
    if match_length == 0:
        return ["the Crawford flag is set in money play, where there is no Crawford game"]
    if match_length == 1:
        return ["the Crawford flag is set in a one point match, which has no Crawford game"]
    if min(away, opponent_away) > 1:
        return [
            f"the Crawford flag is set and nobody is one point away in the {match_length} point "
            f"match ({away} and {opponent_away} away): clear the flag or mend the score"
        ]
    if away == opponent_away:
        return [
            "the Crawford flag is set and both are one point away, so the Crawford game is over: "
            "clear the flag or mend the score"
        ]
    return []
