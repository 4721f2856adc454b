"""What a reader found in a text, before anything is known to be sound."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from bgsim.core.errors import PositionError
from bgsim.core.match import Cube, Pending, Score
from bgsim.core.position import Position

__all__ = ["NOTHING_KEPT", "KeptFields", "Reading"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFields:
    """What an id said that the game does not use, kept to print it back; None was not said."""

    jacoby: bool | None = None
    beavers: bool | None = None
    max_cube_log2: int | None = None  # XGID
    game_state: int = 1  # Match ID: 0 no game, 1 playing, 2 over, 3 resigned, 4 over by a pass


NOTHING_KEPT = KeptFields()
_T = TypeVar("_T")


@dataclass(slots=True)
class Reading:
    """The parts of a game state that a text gave, None for nothing or nonsense, and the faults."""

    position: Position | None = None
    roll: tuple[int, int] | None = None
    cube: Cube | None = None
    score: Score | None = None
    pending: Pending = Pending.NONE
    resigned: int = 0
    bottom_on_roll: bool = True
    kept: KeptFields = NOTHING_KEPT
    setup: str | None = None  # the name of a set-up: the game is at its opening
    faults: list[str] = field(default_factory=list)

    def attempt(self, make: Callable[[], _T]) -> _T | None:
        """Return what make returns, or None after noting the faults that it raised."""
        try:
            return make()
        except PositionError as error:
            self.faults.extend(error.faults)
            return None
