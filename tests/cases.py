"""The reference data of `tests/data` and the few helpers that the tests of plays share."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from bgsim.core.play import Play
from bgsim.core.position import Position
from bgsim.engine.plays import legal_plays
from tests.oracle import BAR, OFF, Board, Roll, gnubg_id, moved, side

DATA = Path(__file__).parent / "data"


# --- reference data -------------------------------------------------------------------------------


@cache
def reference_plays() -> tuple[dict[str, Any], ...]:
    """The 4,722 positions with a roll and every result, made with GNU Backgammon."""
    with gzip.open(DATA / "legal_plays.jsonl.gz", "rt", encoding="ascii") as lines:
        return tuple(json.loads(line) for line in lines)


@cache
def corpus() -> dict[str, tuple[Board, ...]]:
    """The 1,200 corpus positions by kind: nn (contact), race and random."""
    boards: dict[str, list[Board]] = {}
    with (DATA / "corpus_positions.csv").open(newline="", encoding="ascii") as lines:
        for row in csv.DictReader(lines):
            boards.setdefault(row["kind"], []).append(_signed_board(row["board"]))
    return {kind: tuple(found) for kind, found in boards.items()}


def _signed_board(text: str) -> Board:
    """The board of 26 signed counts: 25 the mover's bar, 24..1 his points, 0 the opponent's bar."""
    counts = [int(word) for word in text.split()]
    points = range(1, 25)
    mover = {point: max(counts[point], 0) for point in points} | {BAR: counts[25]}
    opponent = {25 - point: max(-counts[point], 0) for point in points} | {BAR: counts[0]}
    return side(mover), side(opponent)


def public_ids() -> tuple[str, ...]:
    """The 1,000 position ids of case L31."""
    return tuple((DATA / "wildbg_contact_ids.txt").read_text(encoding="ascii").split())


def public_cases(kind: str) -> dict[str, dict[str, str]]:
    """The rows of one kind of `public_cases.csv` by their id."""
    with (DATA / "public_cases.csv").open(newline="", encoding="utf-8") as lines:
        return {row["id"]: row for row in csv.DictReader(lines) if row["kind"] == kind}


# --- between bgsim and the oracle -----------------------------------------------------------------


def as_position(board: Board) -> Position:
    """bgsim's position of the oracle's two sides."""
    return Position(*board)


def as_board(position: Position) -> Board:
    """The oracle's two sides of bgsim's position."""
    return position.on_roll, position.opponent


def after_boards(plays: Iterable[Play]) -> set[Board]:
    """What the plays lead to."""
    return {as_board(play.after) for play in plays}


def result_set(board: Board, roll: Roll) -> set[Board]:
    """bgsim's results, checked to hold nothing twice."""
    plays = legal_plays(as_position(board), roll)
    boards = after_boards(plays)
    if len(boards) != len(plays):
        raise AssertionError(f"{gnubg_id(*board)} {roll}: {len(plays)} plays, {len(boards)} differ")
    return boards


# --- the text of a play ---------------------------------------------------------------------------

_PART = re.compile(r"(bar|\d+)((?:/(?:off|\d+)\*?)+)(?:\(([2-4])\))?")


def _point(text: str) -> int:
    return {"bar": BAR, "off": OFF}[text] if text in ("bar", "off") else int(text)


def follow(board: Board, text: str) -> Board:
    """The board after a play written as "bar/22 13/10*", "24/18*/15" or "8/5(2) 6/off".

    Knows nothing of dice. Moves the checkers as written and insists that every source has a
    checker, no target is held by the enemy, and a star stands exactly where a blot is hit.
    """
    for part in text.split():
        match = _PART.fullmatch(part)
        if match is None:
            raise AssertionError(f"{part!r} in {text!r} cannot be read")
        legs = [(leg.rstrip("*"), leg.endswith("*")) for leg in match[2].split("/")[1:]]
        for repeat in range(int(match[3] or 1)):
            source = _point(match[1])
            for target_text, starred in legs:
                target = _point(target_text)
                # of 8/5*(2) only the first checker meets the blot
                board = _checker_moved(board, source, target, starred and repeat == 0, text)
                source = target
    return board


def _checker_moved(board: Board, source: int, target: int, hit: bool, text: str) -> Board:
    mover, opponent = board
    enemies = opponent[25 - target] if target != OFF else 0
    if not mover[source]:
        raise AssertionError(f"{text!r}: no checker on {source}")
    if source <= target:
        raise AssertionError(f"{text!r}: {source}/{target} goes backwards")
    if enemies != int(hit):
        raise AssertionError(f"{text!r}: {enemies} enemy checkers on {target}, hit written: {hit}")
    return moved(mover, opponent, source, target)
