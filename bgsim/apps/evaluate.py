"""Positions as a policy's nets see them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bgsim.core.errors import PositionError
from bgsim.core.notation import parse
from bgsim.core.position import Position
from bgsim.core.state import GameState
from bgsim.engine.estimates import estimate
from bgsim.engine.policies import DEFAULT, find_policy

__all__ = ["Evaluation", "evaluate", "evaluate_all"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Cumulative chances and cubeless equity (2W - 1 + WG + WBG - LG - LBG) of the player on roll."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float
    equity: float
    policy: str
    plies: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def evaluate(position: GameState | Position | str, *, policy: str = DEFAULT) -> Evaluation:
    """Return what a policy's nets think of a position before the roll; an estimate, nothing is played.

    position is a GameState, a Position or any text that `bgsim.parse` reads.

    Raises:
        BgsimError: a position that cannot be, a policy that is none or has no nets.

    >>> 0.5 < evaluate("start").win < 0.6
    True
    """
    (found,) = evaluate_all([position], policy=policy)
    return found


def evaluate_all(
    positions: Sequence[GameState | Position | str], *, policy: str = DEFAULT
) -> list[Evaluation]:
    """As `evaluate`, of many positions at once."""
    chances = estimate(policy, [_position_of(position) for position in positions])
    plies = find_policy(policy).plies
    rows = []
    for win, gammon, backgammon, lose_gammon, lose_backgammon in chances.tolist():
        equity = 2 * win - 1 + gammon + backgammon - lose_gammon - lose_backgammon
        rows.append(Evaluation(win, gammon, backgammon, lose_gammon, lose_backgammon, equity, policy, plies))
    return rows


def _position_of(position: GameState | Position | str) -> Position:
    if isinstance(position, Position):
        return position
    if isinstance(position, str):
        position = parse(position)
    if not isinstance(position, GameState):
        raise PositionError(f"{position!r} is no position: give a GameState, a Position or a text")
    return position.position
