"""Every legal play of a roll, ranked by a policy."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bgsim.core.play import Play
from bgsim.core.position import Position
from bgsim.engine.plays import legal_plays, perft
from bgsim.engine.policies import DEFAULT, equity_of, find_policy, score_positions

__all__ = ["RankedPlay", "perft", "rank_plays"]


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """A play, the policy's score of it (higher is better) and the equity if the policy knows it.

    A policy with look-ahead or quick nets gives plays that it sorted out the equity it sorted them out by.
    """

    play: Play
    score: int
    equity: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values; `position_id` has the player who moved on roll, `next_position_id` the next one."""
        after = self.play.after
        return {
            "play": str(self.play),
            "position_id": after.gnubg_id,
            "next_position_id": after.swapped().gnubg_id,
            "equity": self.equity,
            "score": self.score,
        }


def rank_plays(position: Position, roll: Iterable[int], *, policy: str = DEFAULT) -> list[RankedPlay]:
    """Return all legal plays, the policy's choice first; equal scores keep the engine's order.

    Raises:
        RollError, PolicyError: a roll or policy that cannot be.

    >>> from bgsim.core.position import Position
    >>> ranked = rank_plays(Position.from_gnubg_id("4HPwATDgc/ABMA"), (3, 1))
    >>> str(ranked[0].play), len(ranked)
    ('8/5 6/5', 16)
    """
    plays = legal_plays(position, roll)
    scores = score_positions(policy, position, [play.after for play in plays])
    known = find_policy(policy).knows_equity
    ranked = [
        RankedPlay(play, score, equity_of(score) if known else None)
        for play, score in zip(plays, scores, strict=True)
    ]
    return sorted(ranked, key=lambda found: -found.score)
