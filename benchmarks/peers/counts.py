"""Whether a peer plays the same game: its results of a roll against bgsim's, as sets."""

from collections.abc import Iterable
from dataclasses import dataclass

from bgsim.core.position import Position
from bgsim.engine.boards import pack, unpack
from bgsim.engine.plays import result_boards

__all__ = ["CountCheck", "Listed", "Sides", "compare", "side_of"]

Sides = tuple[tuple[int, ...], tuple[int, ...]]  # both sides, 26 counts each from their own view
Listed = tuple[Position, tuple[int, int], set[Sides]]  # a position, a roll, what a peer says it may lead to

CHECKERS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class CountCheck:
    """How often a peer's distinct results of a position and a roll are those of bgsim."""

    rolls: int
    agreeing: int
    too_many: int  # rolls where the peer allows a result that the rules forbid
    too_few: int  # rolls where the peer lacks a legal result
    results: int  # bgsim's results of all rolls, a lost turn counting as one
    example: str  # of a disagreement, or ""


def side_of(points: Iterable[int], bar: int) -> tuple[int, ...]:
    """One side's 26 counts from points 1..24 and the bar; what is missing is borne off."""
    counts = (*points, bar)
    return CHECKERS - sum(counts), *counts


def compare(listed: Iterable[Listed]) -> CountCheck:
    """Hold a peer's lists against bgsim's."""
    rolls = agreeing = too_many = too_few = results = 0
    example = ""
    for position, roll, theirs in listed:
        ours = _results(position, roll)
        rolls += 1
        results += len(ours)
        agreeing += theirs == ours
        too_many += bool(theirs - ours)
        too_few += bool(ours - theirs)
        if theirs != ours and not example:
            example = f"{position.gnubg_id} {roll[0]}{roll[1]}: peer {len(theirs)}, bgsim {len(ours)}"
    return CountCheck(
        rolls=rolls,
        agreeing=agreeing,
        too_many=too_many,
        too_few=too_few,
        results=results,
        example=example,
    )


def _results(position: Position, roll: tuple[int, int]) -> set[Sides]:
    """All results from the mover's view; a lost turn leaves the position as it is."""
    found = [unpack(row) for row in result_boards(pack([position])[0], roll)] or [position]
    return {(after.on_roll, after.opponent) for after in found}
