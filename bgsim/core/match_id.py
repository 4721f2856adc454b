"""GNU Backgammon Match IDs: 72 bits in 12 base64 characters.

Player 1 of a Match ID is the bottom (upper case) player of an XGID and player 0 the top one, as
public cases F01, F03, F04 and F30 show. Bits from the lowest of each byte up: cube log2 (4), cube
owner (2; 3 = centred), player on roll (1), Crawford (1), game state (3), player to decide (1),
double offered (1), resignation (2), dice (3, 3), match length (15), score of player 0 (15), of
player 1 (15), Jacoby off (1).

Source: the description of the Match ID in the GNU Backgammon manual; the last bit is read off the
public cases.
"""

from typing import NamedTuple

from bgsim.core.errors import PositionError
from bgsim.core.gnubg_id import base64_bits, bits_base64
from bgsim.core.match import Cube, CubeOwner, Pending, Score, score_faults
from bgsim.core.reading import KeptFields, Reading

__all__ = ["MATCH_ID_LENGTH", "MatchFields", "decode_match_id", "encode_match_id", "read_match_id"]

MATCH_ID_LENGTH = 12
_N_BYTES = 9
_CENTRED = 3
_NAMES = ("player 1 (bottom)", "player 0 (top)")


class MatchFields(NamedTuple):
    """The bit fields of a Match ID, from the lowest bit up."""

    cube_log2: int = 0
    cube_owner: int = _CENTRED
    player_on_roll: int = 1
    crawford: int = 0
    game_state: int = 1
    player_to_decide: int = 1
    double_offered: int = 0
    resignation: int = 0
    die1: int = 0
    die2: int = 0
    match_length: int = 0
    score0: int = 0
    score1: int = 0
    jacoby_off: int = 0


_WIDTHS = MatchFields(4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)


def encode_match_id(values: MatchFields) -> str:
    """Return the Match ID of these fields.

    >>> encode_match_id(MatchFields(jacoby_off=1))
    'cAkAAAAAAAAE'
    """
    bits = shift = 0
    for value, width in zip(values, _WIDTHS, strict=True):
        bits |= value << shift
        shift += width
    return bits_base64(bits, _N_BYTES)


def decode_match_id(text: str) -> MatchFields:
    """Return the fields of a Match ID, whatever they hold.

    Raises:
        PositionError: not 12 base64 characters, or bits set after the last field.

    >>> decode_match_id("cIkmAQAAAAAA").match_length
    9
    """
    bits = base64_bits(text, MATCH_ID_LENGTH, "Match ID")
    values = []
    for width in _WIDTHS:
        values.append(bits & ((1 << width) - 1))
        bits >>= width
    if bits:
        raise PositionError(f"the Match ID '{text}' has bits set after its last field")
    return MatchFields(*values)


def read_match_id(text: str, reading: Reading) -> None:
    """Put what a Match ID says into a reading, its faults included."""
    values = reading.attempt(lambda: decode_match_id(text))
    if values is None:
        return
    faults = reading.faults
    faults += _field_faults(values)
    bottom_on_roll = reading.bottom_on_roll = values.player_on_roll == 1
    if values.die1 and values.die2 and max(values.die1, values.die2) <= 6:
        reading.roll = values.die1, values.die2
    if values.cube_owner != 2:
        reading.cube = Cube(1 << values.cube_log2, _owner(values))
    # A one point match has no Crawford game, yet ids with the flag are about (public case C10).
    crawford = bool(values.crawford) and values.match_length != 1
    if found := score_faults(values.match_length, values.score1, values.score0, crawford, _NAMES):
        faults += found
    else:
        score = Score(values.match_length, values.score1, values.score0, crawford)
        reading.score = score if bottom_on_roll else score.swapped()
    reading.pending = Pending.DOUBLE if values.double_offered else Pending.NONE
    on_roll_answers = values.player_to_decide == values.player_on_roll
    # The one who resigns is not the one to decide about it.
    reading.resigned = -values.resignation if on_roll_answers else values.resignation
    reading.kept = KeptFields(jacoby=not values.jacoby_off, game_state=values.game_state)


def _owner(values: MatchFields) -> CubeOwner:
    if values.cube_owner == _CENTRED:
        return CubeOwner.CENTRED
    own = values.cube_owner == values.player_on_roll
    return CubeOwner.ON_ROLL if own else CubeOwner.OPPONENT


def _field_faults(values: MatchFields) -> list[str]:
    """Return the faults of the fields that stand for themselves."""
    decides = values.player_to_decide == values.player_on_roll
    checks = [
        (
            values.cube_owner == 2,
            "the Match ID gives the cube to player 2, there are players 0 and 1",
        ),
        (
            values.game_state > 4,
            f"the Match ID has game state {values.game_state}, 0 to 4 are known",
        ),
        (
            not (values.die1 == values.die2 == 0) and not (1 <= values.die1 <= 6 and 1 <= values.die2 <= 6),
            f"the Match ID has the roll {values.die1} {values.die2}, dice are 1 to 6 or both 0",
        ),
        (
            not values.resignation and bool(values.double_offered) == decides,
            "the Match ID lets player "
            f"{values.player_to_decide} decide while player {values.player_on_roll} is on roll "
            f"{'and has doubled' if values.double_offered else 'and no double is offered'}",
        ),
    ]
    return [fault for found, fault in checks if found]
