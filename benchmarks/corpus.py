"""The positions that the benches count and time: the start and the corpus of tests/data."""

import csv
from functools import cache
from pathlib import Path

from bgsim.core.notation import parse
from bgsim.core.position import BAR, OFF, Position

__all__ = ["ROLLS", "corpus", "start"]

ROLLS = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
CORPUS = Path(__file__).parents[1] / "tests" / "data" / "corpus_positions.csv"


def start() -> Position:
    """The starting position of backgammon."""
    return parse("start").position


@cache
def corpus() -> dict[str, tuple[Position, ...]]:
    """The 1,200 corpus positions by kind: nn (contact, from strong play), race and random."""
    positions: dict[str, list[Position]] = {}
    with CORPUS.open(newline="", encoding="ascii") as lines:
        for row in csv.DictReader(lines):
            positions.setdefault(row["kind"], []).append(_position(row["board"]))
    return {kind: tuple(found) for kind, found in positions.items()}


def _position(board: str) -> Position:
    """The position of 26 signed counts: 25 and 0 are the bars, the opponent's points negative."""
    counts = [int(word) for word in board.split()]
    on_roll = [0, *(max(count, 0) for count in counts[1:25]), counts[25]]
    opponent = [0, *(max(-count, 0) for count in reversed(counts[1:25])), counts[0]]
    for side in (on_roll, opponent):
        side[OFF] = 15 - sum(side[1 : BAR + 1])
    return Position(tuple(on_roll), tuple(opponent))
