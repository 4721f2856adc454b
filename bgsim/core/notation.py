"""Everything that a person may write for a position, and rolls."""

import re
from dataclasses import replace
from functools import cache
from typing import NoReturn

from bgsim.core.errors import PositionError, RollError, RulesError, did_you_mean
from bgsim.core.gnubg_id import POSITION_ID_LENGTH, is_base64
from bgsim.core.match import Cube, Score
from bgsim.core.match_id import MATCH_ID_LENGTH, read_match_id
from bgsim.core.point_list import looks_like_point_list, parse_point_list
from bgsim.core.position import Position
from bgsim.core.reading import KeptFields, Reading
from bgsim.core.rules import START_POINTS, Rules, as_rules
from bgsim.core.state import GameState, state_faults
from bgsim.core.xgid import FIELDS, XGID_PREFIX, read_xgid

__all__ = ["SETUP_NAMES", "parse", "parse_roll", "with_rules"]

SETUP_NAMES = ("start", "nackgammon", "longgammon", "hypergammon", "dutch")
_MONEY = Rules.preset("money")
_POSITION_LABEL = re.compile(r"\bposition\s+id\s*[:=]\s*(\S+)", re.IGNORECASE)
_MATCH_LABEL = re.compile(r"\bmatch\s+id\s*[:=]\s*(\S+)", re.IGNORECASE)
_XGID_LABEL = re.compile(r"\bXGID\s*=\s*(\S+)", re.IGNORECASE)
_ROLL = re.compile(r"([1-6])\s*[-,/ ]?\s*([1-6])")


def parse(text: str, *, rules: str | Rules | None = None, opening: bool | None = None) -> GameState:
    """Return the game state that a text names.

    The text is an XGID, with or without "XGID="; a GNU Backgammon Position ID, alone, as
    POSITION_ID:MATCH_ID or with the labels that program prints; a point list, the player on roll
    first and each side from its own ace point; or a set-up: start, nackgammon, longgammon,
    hypergammon, dutch. "start" is the start under the `rules`.

    `rules` win over what the id carries (match length, Jacoby, beavers) and that over money play.
    Of an id from a match of another length than that of `rules` the score is not used. `opening`
    says whether the opening roll is still to come; without it set-ups are at their opening and
    everything else is not.

    Raises:
        PositionError: listing every fault found.
        RulesError: rules that are unknown, contradict each other or do not fit the set-up.

    >>> parse("24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5").position.gnubg_id
    '4HPwATDgc/ABMA'
    >>> state = parse("4HPwATDgc/ABMA:cIkmAQAAAAAA")
    >>> state.roll, state.score.match_length
    ((5, 1), 9)
    """
    if not isinstance(text, str):
        raise PositionError(f"a position is written as a text such as 'start', not {type(text).__name__}")
    wanted = None if rules is None else as_rules(rules)
    reading = _read(text.strip(), wanted)
    at_opening = reading.setup is not None if opening is None else opening
    return _state_of(reading, _rules_of(reading) if wanted is None else wanted, at_opening)


def with_rules(
    state: GameState, *, rules: str | Rules | None = None, opening: bool | None = None
) -> GameState:
    """Return the state under other rules or with another opening flag, just as `parse` would read it so.

    A state keeps what no id can say (its set of checkers, its set-up), so it never goes through a text.

    Raises:
        PositionError, RulesError: as `parse`.

    >>> str(with_rules(parse("nackgammon"), rules="cubeless").rules)
    'nackgammon,jacoby=off,beavers=off,max_cube=1'
    """
    reading = Reading(
        position=state.position,
        roll=state.roll,
        cube=state.cube,
        score=state.score,
        pending=state.pending,
        resigned=state.resigned,
        bottom_on_roll=state.bottom_on_roll,
        kept=state.kept,
        setup=state.rules.setup,
    )
    wanted = state.rules if rules is None else as_rules(rules)
    return _state_of(reading, wanted, state.opening if opening is None else opening)


def _state_of(reading: Reading, wanted: Rules, at_opening: bool) -> GameState:
    """Return the state of a reading that is fitted to rules."""
    used = _fit_setup(reading, wanted, at_opening)
    _fit_score(reading, used)
    cube = reading.cube or (None if reading.faults else Cube())
    faults = reading.faults + state_faults(
        reading.roll, cube, reading.score, reading.pending, opening=at_opening
    )
    if faults or reading.position is None:
        raise PositionError(*faults)
    return GameState(
        reading.position,
        reading.roll,
        cube or Cube(),
        reading.score or Score(used.match_length),
        used,
        at_opening,
        reading.pending,
        reading.resigned,
        reading.bottom_on_roll,
        reading.kept,
    )


def parse_roll(text: str) -> tuple[int, int]:
    """Return the roll of a text such as "63", "6-3" or "6 3", in the order given.

    Raises:
        RollError: the text is not two dice from 1 to 6.

    >>> parse_roll("6-3"), parse_roll("11")
    ((6, 3), (1, 1))
    """
    found = _ROLL.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise RollError(f"{text!r} is no roll: write two dice from 1 to 6, as in 63 or 6-3")
    return int(found[1]), int(found[2])


def _read(text: str, rules: Rules | None) -> Reading:
    """Return what a text says, told by its shape to the reader of its kind."""
    checkers = _MONEY.checkers if rules is None else rules.checkers
    if len(text) == POSITION_ID_LENGTH and is_base64(text):
        return _read_ids(text, "", checkers)
    if text.lower() in SETUP_NAMES:
        return _read_setup(text.lower(), rules)
    if text.startswith(XGID_PREFIX):
        return read_xgid(text.split()[0], checkers)
    position_id, colon, match_id = text.partition(":")
    if colon and is_base64(position_id) and re.fullmatch(r"[^\s:]+", match_id) and len(position_id) > 3:
        return _read_ids(position_id, match_id, checkers)
    return _read_labelled(text, checkers)


def _read_labelled(text: str, checkers: int) -> Reading:
    """Return what an id among labels says, or an XGID without its label."""
    if found := _XGID_LABEL.search(text):
        return read_xgid(found[1], checkers)
    position_id, match_id = _POSITION_LABEL.search(text), _MATCH_LABEL.search(text)
    if position_id:
        return _read_ids(position_id[1], match_id[1] if match_id else "", checkers)
    if looks_like_point_list(text):
        reading = Reading()
        reading.position = reading.attempt(lambda: parse_point_list(text, checkers=checkers))
        return reading
    if text.count(":") >= len(FIELDS) - 2:
        return read_xgid(text, checkers)
    # Words that nearly name a set-up are base64 too.
    near = did_you_mean(text, SETUP_NAMES)
    if len(text.split()) == 1 and abs(len(text) - POSITION_ID_LENGTH) <= 4 and not near:
        return _read_ids(text, "", checkers)
    if match_id:
        _refuse_match_id(match_id[1])
    raise PositionError(
        f"'{text}' names no position{near}: write an XGID, a GNU Backgammon Position ID (with or "
        "without :MATCH_ID), a point list such as '24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5', or "
        f"one of {', '.join(name for name in SETUP_NAMES if name != 'dutch')}"  # which nothing plays yet
    )


def _read_ids(position_id: str, match_id: str, checkers: int) -> Reading:
    reading = Reading()
    if len(position_id.rstrip("=")) == MATCH_ID_LENGTH and not match_id:
        _refuse_match_id(position_id)
    reading.position = reading.attempt(lambda: Position.from_gnubg_id(position_id, checkers=checkers))
    if match_id:
        read_match_id(match_id, reading)
    return reading


def _refuse_match_id(match_id: str) -> NoReturn:
    raise PositionError(
        f"'{match_id}' has the 12 characters of a Match ID, which holds no board: "
        "write the Position ID of 14 characters before it, POSITION_ID:MATCH_ID"
    )


def _read_setup(name: str, rules: Rules | None) -> Reading:
    start = "standard" if rules is None else rules.setup
    setup = start if name == "start" else name
    return Reading(position=_setup_position(setup), setup=setup)


@cache
def _setup_position(setup: str) -> Position:
    points = START_POINTS[setup]
    return Position.from_points(points, points, checkers=sum(points.values()))


def _fit_setup(reading: Reading, wanted: Rules, at_opening: bool) -> Rules:
    """Return the wanted rules with the set-up of what was read, if they name none of their own."""
    position, setup = reading.position, reading.setup or "standard"
    if position is None or wanted.setup == setup:
        return wanted
    if wanted.setup == "standard":
        return replace(wanted, setup=setup, dutch=setup == "dutch")
    elsewhere = at_opening and position != _setup_position(wanted.setup)
    checkers = {sum(position.on_roll), sum(position.opponent)}
    if setup != "standard" or elsewhere or checkers != {wanted.checkers}:
        what = "position" if setup == "standard" else f"set-up '{setup}'"
        raise RulesError(
            f"the {what} does not fit the rules '{wanted}', which start from {wanted.setup}: "
            "change one of them"
        )
    return wanted


def _fit_score(reading: Reading, wanted: Rules) -> None:
    """Leave out of the reading what does not fit the rules' match."""
    score = reading.score
    if score is not None and score.match_length != wanted.match_length:
        # Points of another match, and flags that mean something else there, say nothing here.
        reading.score = None
        reading.kept = KeptFields(
            max_cube_log2=reading.kept.max_cube_log2, game_state=reading.kept.game_state
        )
    elif score is not None and score.crawford and not wanted.crawford:
        reading.score = replace(score, crawford=False)


def _rules_of(reading: Reading) -> Rules:
    """Return the rules that a text itself asks for."""
    if reading.setup not in (None, "standard"):
        return Rules.preset(str(reading.setup))
    if reading.score is None:
        return _MONEY
    if reading.score.is_match:
        return Rules.preset(f"match:{reading.score.match_length}")
    jacoby, beavers = reading.kept.jacoby, reading.kept.beavers
    return _money_rules(
        _MONEY.jacoby if jacoby is None else jacoby, _MONEY.beavers if beavers is None else beavers
    )


@cache
def _money_rules(jacoby: bool, beavers: bool) -> Rules:
    return replace(_MONEY, jacoby=jacoby, beavers=beavers)
