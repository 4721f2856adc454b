"""What a policy's nets think of positions, without playing them out."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import PolicyError
from bgsim.core.position import Position
from bgsim.engine.boards import pack
from bgsim.engine.policies import OUTCOME_VALUES, POLICIES, Players, find_policy, players_of
from bgsim.kernels.board import MAX_RESULTS
from bgsim.kernels.policy import NET
from bgsim.kernels.self_play import GameScratch, estimate_boards

__all__ = ["estimate", "new_scratch"]


def new_scratch(ready: Players) -> GameScratch:
    """What one thread needs to play games or to estimate positions."""
    return GameScratch(
        evaluator=ready.evaluator(),
        board=np.zeros(4, np.uint64),
        results=np.zeros((MAX_RESULTS, 4), np.uint64),
        scores=np.zeros(MAX_RESULTS, np.int64),
        outcome_values=OUTCOME_VALUES,
        mixed=np.zeros(5, np.float64),
    )


def estimate(policy: str, positions: Sequence[Position]) -> npt.NDArray[np.float64]:
    """Return W, WG, WBG, LG, LBG (float64[n, 5], cumulative) of the player on roll, before his roll.

    Policies with one roll of look-ahead give the mean over the 21 rolls, each played as their nets would.
    Finished positions have their outcome.

    Raises:
        PolicyError: no such policy, or one without nets.
    """
    found = find_policy(policy)
    if not found.knows_equity:
        able = ", ".join(name for name, other in POLICIES.items() if other.knows_equity)
        raise PolicyError(f"policy {policy!r} estimates no chances; use one of: {able}, or a weight file")
    # The kernels see a position from the player who has just moved; of a finished one, from the winner.
    won = [position.is_over and not any(position.on_roll[1:]) for position in positions]
    boards = pack([p if mine else p.swapped() for p, mine in zip(positions, won, strict=True)])
    seen = np.zeros((len(boards), 5), np.float32)
    ready = players_of(policy)
    player = ready.players[0]._replace(kind=NET)
    estimate_boards(boards, player, found.plies > 0, new_scratch(ready), seen)
    chances = seen.astype(np.float64)
    turned = np.column_stack([1 - chances[:, 0], chances[:, 3:5], chances[:, 1:3]])
    return np.where(np.array(won, np.bool_)[:, None], chances, turned)
