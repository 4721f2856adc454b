"""A game state: the position with its roll, cube, score and rules, seen from the player on roll."""

from dataclasses import dataclass

from bgsim.core.board import BOTTOM_LINE, MIDDLE_LINE, TOP_LINE, draw_board, side_note
from bgsim.core.errors import PositionError
from bgsim.core.match import Cube, CubeOwner, Pending, Score
from bgsim.core.match_id import MatchFields, encode_match_id
from bgsim.core.numbers import whole_within
from bgsim.core.position import Position
from bgsim.core.reading import NOTHING_KEPT, KeptFields
from bgsim.core.rules import Rules
from bgsim.core.xgid import encode_xgid

__all__ = ["GameState", "state_faults"]

_NO_CUBE_TURNED = Cube()
_NO_SCORE = Score()
_MONEY = Rules.preset("money")
_KINDS = {
    "position": (Position, "a Position"),
    "cube": (Cube, "a Cube"),
    "score": (Score, "a Score"),
    "rules": (Rules, "a Rules"),
    "opening": (bool, "true or false"),
    "pending": (Pending, "a Pending"),
}


@dataclass(frozen=True, slots=True)
class GameState:
    """Where a game stands, before a roll or an answer to the cube.

    `cube`, `score` and the two sides of `position` are from the player on roll. `roll` is what he
    has rolled, in the order given, or None. `opening` says that the first roll of the game is
    still to come: one of the 15 non-doubles, won by the player on roll. `pending` is a turn of the
    cube that waits for an answer, with `cube` as it was before. `resigned` is a resignation that
    waits: 1 to 3 for a single game, gammon or backgammon offered by the player on roll, negative
    when the opponent offers it. `bottom_on_roll` tells which player of an id is on roll: the
    bottom one of an XGID, who is player 1 of a Match ID.

    Raises:
        PositionError: naming every fault at once.

    >>> state = GameState(Position.from_gnubg_id("4HPwATDgc/ABMA"), (3, 1))
    >>> state.xgid
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10'
    """

    position: Position
    roll: tuple[int, int] | None = None
    cube: Cube = _NO_CUBE_TURNED
    score: Score = _NO_SCORE
    rules: Rules = _MONEY
    opening: bool = False
    pending: Pending = Pending.NONE
    resigned: int = 0
    bottom_on_roll: bool = True
    kept: KeptFields = NOTHING_KEPT

    def __post_init__(self) -> None:
        wrong = [
            f"{name} is {getattr(self, name)!r}, {what} is needed"
            for name, (kind, what) in _KINDS.items()
            if not isinstance(getattr(self, name), kind)
        ]
        if wrong:
            raise PositionError(*wrong)
        faults = state_faults(self.roll, self.cube, self.score, self.pending, opening=self.opening)
        if self.rules.match_length != self.score.match_length:
            faults.append(
                f"the score is of a match of {self.score.match_length} points and the rules are "
                f"those of one of {self.rules.match_length} (0 is money play), they must agree"
            )
        if whole_within(self.resigned, -3, 3) is None:
            faults.append(f"the resignation is {self.resigned}, -3 to 3 is allowed")
        if faults:
            raise PositionError(*faults)

    @property
    def xgid(self) -> str:
        """The XGID, "XGID=" included; a waiting resignation is left out, it has no field for it."""
        return encode_xgid(self)

    @property
    def match_id(self) -> str | None:
        """The GNU Backgammon Match ID; None while a beaver or raccoon waits, as it has no field."""
        if self.pending in (Pending.BEAVER, Pending.RACCOON):
            return None
        kept, score = self.kept, self.score
        bottom, top = score.on_roll, score.opponent
        player = 1
        if not self.bottom_on_roll:
            bottom, top, player = top, bottom, 0
        owners = {CubeOwner.CENTRED: 3, CubeOwner.ON_ROLL: player, CubeOwner.OPPONENT: 1 - player}
        jacoby = not score.is_match and self.rules.jacoby if kept.jacoby is None else kept.jacoby
        roll = self.roll or (0, 0)
        return encode_match_id(
            MatchFields(
                cube_log2=self.cube.log2,
                cube_owner=owners[self.cube.owner],
                player_on_roll=player,
                crawford=score.crawford,
                game_state=kept.game_state,
                player_to_decide=player if self.on_roll_decides else 1 - player,
                double_offered=self.pending is Pending.DOUBLE,
                resignation=abs(self.resigned),
                die1=roll[0],
                die2=roll[1],
                match_length=score.match_length,
                score0=top,
                score1=bottom,
                jacoby_off=not jacoby,
            )
        )

    @property
    def on_roll_decides(self) -> bool:
        """Whether the player on roll is to decide, not the opponent who has to answer."""
        if self.resigned:
            return self.resigned < 0
        return self.pending in (Pending.NONE, Pending.BEAVER)

    def __str__(self) -> str:
        position = self.position
        notes = {
            TOP_LINE: side_note("O", position.opponent),
            MIDDLE_LINE - 1: self._score_note(),
            MIDDLE_LINE: self._cube_note(),
            MIDDLE_LINE + 1: self._turn_note(),
            BOTTOM_LINE: side_note("X", position.on_roll),
        }
        lines = [draw_board(position.on_roll, position.opponent, notes)]
        lines.append(f" Position ID: {position.gnubg_id}")
        if self.match_id is not None:
            lines.append(f" Match ID: {self.match_id}")
        return "\n".join([*lines, f" {self.xgid}"])

    def _score_note(self) -> str:
        score = self.score
        if not score.is_match:
            points = f", X {score.on_roll}, O {score.opponent}"
            return f"money{points if score.on_roll or score.opponent else ''}"
        crawford = ", Crawford game" if score.crawford else ""
        return f"{score.match_length} point match, X {score.on_roll}, O {score.opponent}{crawford}"

    def _cube_note(self) -> str:
        owner = {CubeOwner.CENTRED: "centred", CubeOwner.ON_ROLL: "owned by X"}
        return f"cube {self.cube.value}, {owner.get(self.cube.owner, 'owned by O')}"

    def _turn_note(self) -> str:
        if self.position.is_over:
            return "game over"
        if self.resigned:
            level = ("a single game", "a gammon", "a backgammon")[abs(self.resigned) - 1]
            return f"{'X' if self.resigned > 0 else 'O'} resigns {level}"
        value = self.cube.value
        asked = {
            Pending.DOUBLE: f"X doubles to {2 * value}, O to answer",
            Pending.BEAVER: f"O beavers to {4 * value}, X to answer",
            Pending.RACCOON: f"X raccoons to {8 * value}, O to answer",
        }
        if self.pending in asked:
            return asked[self.pending]
        if self.roll:
            return f"X to play {self.roll[0]}-{self.roll[1]}"
        return "X to play the opening roll" if self.opening else "X to roll"


def state_faults(
    roll: tuple[int, int] | None,
    cube: Cube | None,
    score: Score | None,
    pending: Pending,
    *,
    opening: bool,
) -> list[str]:
    """Return what does not fit together; a cube or score that was not read is None, not judged."""
    faults = []
    if roll is not None and not _is_roll(roll):
        faults.append(f"the roll is {roll!r}, two dice from 1 to 6 are allowed")
        roll = None
    turned = cube is not None and cube.owner is not CubeOwner.CENTRED
    if opening and roll is not None and roll[0] == roll[1]:
        faults.append(f"the opening roll cannot be a double, and {roll[0]}-{roll[1]} is given")
    if opening and (turned or pending is not Pending.NONE):
        faults.append("nobody can double before the opening roll, and the cube has been turned")
    if pending is not Pending.NONE:
        faults += _pending_faults(roll, cube, score, pending)
    if score is not None and score.crawford and cube is not None and cube != _NO_CUBE_TURNED:
        faults.append(
            "nobody can double in the Crawford game, so the cube must be centred at 1, "
            f"and it is at {cube.value}"
        )
    return faults


def _is_roll(roll: object) -> bool:
    return isinstance(roll, tuple | list) and len(roll) == 2 and all(whole_within(die, 1, 6) for die in roll)


def _pending_faults(
    roll: tuple[int, int] | None, cube: Cube | None, score: Score | None, pending: Pending
) -> list[str]:
    """Return why a turn of the cube cannot wait for an answer here."""
    faults = []
    if roll is not None:
        faults.append(f"a {pending.value} waits for an answer, so no dice can have been rolled")
    if cube is not None and cube.owner is CubeOwner.OPPONENT:
        faults.append("the player on roll cannot have doubled, the opponent owns the cube")
    if score is not None and score.crawford:
        faults.append("a double is offered in the Crawford game, in which nobody may double")
    if score is not None and score.is_match and pending in (Pending.BEAVER, Pending.RACCOON):
        faults.append(f"a {pending.value} waits for an answer in a match, where there are none")
    return faults
