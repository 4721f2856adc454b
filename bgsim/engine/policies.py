"""The registry of policies: who chooses the plays of a playout."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bgsim.core.errors import PolicyError, did_you_mean
from bgsim.core.position import Position
from bgsim.engine.boards import pack
from bgsim.kernels.policy import GREEDY, RANDOM, score_results

__all__ = ["OUTCOME_VALUES", "POLICIES", "Policy", "find_policy", "score_positions"]

# Points of the six outcomes to the player on roll in cubeless play, in the kernels' 2^-32 points.
OUTCOME_VALUES = np.array([1, 2, 3, -1, -2, -3], dtype=np.int64) << 32


@dataclass(frozen=True, slots=True)
class Policy:
    """A built-in policy: its name, the id that kernels know it by, and one line for people."""

    name: str
    number: int
    description: str


POLICIES = {
    policy.name: policy
    for policy in (
        Policy("random", RANDOM, "uniform over the distinct results of the roll"),
        Policy(
            "greedy",
            GREEDY,
            "a small heuristic: blots, points, primes, the bar; about 2.2 points a game over random",
        ),
    )
}


def find_policy(name: str) -> Policy:
    """Return the policy of that name.

    Raises:
        PolicyError: there is none; names the ones there are.

    >>> find_policy("greedy").name
    'greedy'
    """
    if not isinstance(name, str) or name not in POLICIES:
        allowed = ", ".join(POLICIES)
        raise PolicyError(
            f"unknown policy {name!r}{did_you_mean(str(name), POLICIES)}; use one of: {allowed}"
        )
    return POLICIES[name]


def score_positions(policy: str, before: Position, results: Sequence[Position]) -> list[int]:
    """Return a policy's score of each result of a play (seen from the mover): any scale, higher is better.

    `random` has no preference: all its scores are 0.

    Raises:
        PolicyError: no such policy.
    """
    number = find_policy(policy).number
    boards = pack(results)
    scores = np.zeros(len(boards), np.int64)
    score_results(number, pack([before])[0], boards, len(boards), OUTCOME_VALUES, scores)
    return [int(score) for score in scores]
