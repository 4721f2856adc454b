"""A play (one whole turn) and how it is written."""

from collections.abc import Sequence
from dataclasses import dataclass

from bgsim.core.position import BAR, OFF, Position

__all__ = ["CheckerMove", "Play", "find_moves"]

Sides = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class CheckerMove:
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


def find_moves(before: Position, roll: tuple[int, int], after: Position) -> tuple[CheckerMove, ...]:
    """Return checker moves that lead from one position to the other (both seen from the mover).

    Raises:
        ValueError: no sequence of these dice leads there.

    >>> start = Position.from_gnubg_id("4HPwATDgc/ABMA")
    >>> find_moves(start, (3, 1), Position.from_gnubg_id("4HPwATCwZ/ABMA"))
    (CheckerMove(source=8, target=5, hit=False), CheckerMove(source=6, target=5, hit=False))
    """
    large, small = max(roll), min(roll)
    if large == small:
        orders = [(large,) * n for n in (4, 3, 2, 1)]
    else:
        # Both dice first: bearing off with one may look like bearing off with both.
        orders = [(large, small), (small, large), (large,), (small,)]
    goal = (after.on_roll, after.opponent)
    for dice in orders:
        found = _search((before.on_roll, before.opponent), goal, dice, BAR)
        if found is not None:
            return found
    raise ValueError(f"no play of {large}-{small} leads from {before.gnubg_id} to {after.gnubg_id}")


def _search(sides: Sides, goal: Sides, dice: Sequence[int], last: int) -> tuple[CheckerMove, ...] | None:
    """Depth-first over sources that have a checker too many, the highest first."""
    if not dice:
        return () if sides == goal else None
    own, wanted = sides[0], goal[0]
    # A double is always playable from the highest source downwards; two different dice may not be.
    highest = last if len(set(dice)) == 1 else BAR
    for source in range(highest, 0, -1):
        if own[source] <= wanted[source]:
            continue
        stepped = _play_die(sides, source, dice[0])
        if stepped is None:
            continue
        move, reached = stepped
        rest = _search(reached, goal, dice[1:], source if len(set(dice)) == 1 else BAR)
        if rest is not None:
            return (move, *rest)
    return None


def _play_die(sides: Sides, source: int, die: int) -> tuple[CheckerMove, Sides] | None:
    """One checker move by the rules (P3, P5, P7), or None where it is not legal."""
    own, other = list(sides[0]), list(sides[1])
    target = max(source - die, OFF)
    if own[BAR] and source != BAR:
        return None
    if target == OFF and (any(own[7:]) or (source < die and any(own[source + 1 : 7]))):
        return None
    facing = other[25 - target] if target else 0
    if facing > 1:
        return None
    if facing == 1:
        other[25 - target] = 0
        other[BAR] += 1
    own[source] -= 1
    own[target] += 1
    return CheckerMove(source, target, facing == 1), (tuple(own), tuple(other))


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
