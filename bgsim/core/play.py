"""A play (one whole turn) and how it is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bgsim.core.position import BAR, OFF, Position

__all__ = ["CheckerMove", "Play"]


class CheckerMove(NamedTuple):
    """One checker by one die, in the mover's own points (25 the bar, 0 borne off)."""

    source: int
    target: int
    hit: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """One way to play a roll.

    `moves` are single dice in an order in which they can be played; `after` is the position reached, still
    seen from the player who moved. `str()` gives the usual notation: one part a checker, `*` for a hit,
    `(2)` for two checkers that do the same.

    >>> from bgsim.core.position import Position
    >>> start = Position.from_gnubg_id("4HPwATDgc/ABMA")
    >>> str(Play(moves=(CheckerMove(24, 18), CheckerMove(18, 15)), after=start))
    '24/15'
    """

    moves: tuple[CheckerMove, ...]
    after: Position

    def __str__(self) -> str:
        counts: dict[str, int] = {}
        hitting = set()
        for path in sorted(_paths(self.moves), key=lambda path: -path[0].source):
            text = _path_text(path)
            counts[text] = counts.get(text, 0) + 1
            if path[-1].hit:
                hitting.add(text)  # the first checker there hits, its companions land beside it
        return " ".join(
            text + ("*" if text in hitting else "") + (f"({n})" if n > 1 else "")
            for text, n in counts.items()
        )


def _paths(moves: Sequence[CheckerMove]) -> list[list[CheckerMove]]:
    """Moves joined where one checker goes on from where it has just landed, the first to land first."""
    paths: list[list[CheckerMove]] = []
    for move in moves:
        going_on = next((path for path in paths if path[-1].target == move.source), None)
        if going_on is None:
            paths.append([move])
        else:
            going_on.append(move)
    return paths


def _path_text(path: Sequence[CheckerMove]) -> str:
    """One checker's way: its ends, and every point between them where it hit; without a hit at the end."""
    stops = [f"{move.target}*" for move in path[:-1] if move.hit]
    return "/".join([_point_text(path[0].source), *stops, _point_text(path[-1].target)])


def _point_text(point: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(point, str(point))
