"""The registry of policies: who chooses the plays of a playout."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import PolicyError, did_you_mean
from bgsim.core.position import Position
from bgsim.engine.boards import pack
from bgsim.engine.nets import Net, joined, new_evaluator
from bgsim.engine.tables import NO_TABLES, Loaded
from bgsim.engine.weights import Weights, digest_of, stamp_of, weights_of
from bgsim.kernels.board import MAX_RESULTS
from bgsim.kernels.net import Evaluator, Nets
from bgsim.kernels.policy import (
    GREEDY,
    LEFT_OUT,
    LOOKAHEAD,
    NET,
    NONE,
    RANDOM,
    Player,
    rank_all_rolls,
    score_results,
)

__all__ = [
    "DEFAULT",
    "OUTCOME_VALUES",
    "POLICIES",
    "Players",
    "Policy",
    "count_ranked",
    "equity_of",
    "find_policy",
    "net_player",
    "players_by",
    "players_of",
    "score_positions",
]

# Points of the six outcomes to the player on roll in cubeless play, in the kernels' 2^-32 points.
OUTCOME_VALUES = np.array([1, 2, 3, -1, -2, -3], dtype=np.int64) << 32

POINT = 1 << 48  # a point in the unit of a net's scores

DEFAULT = "net"  # plays wherever no policy is named

# Plays that quick nets leave, and how far below their best, in points. The large nets' first choice is then
# lost in 1.06% of rolls, at 0.00013 points a roll; with 12 and 0.3 in 0.73%, at 0.00009.
KEPT, MARGIN = 10, 0.2


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy: its name, the kind of player it is to the kernels, its weights, and one line for people.

    `weights` names weights that come with bgsim, or is the path of a weight file. Quick nets, where the
    weights have some, rank all results first and leave at most `kept` within `margin` points of their best
    to the others; with `quick_only` they decide alone. Look-ahead is made for at most `kept_ahead` results
    within `margin_ahead` points of the nets' best.
    """

    name: str
    kind: int
    description: str
    weights: str = ""
    kept: int = KEPT
    margin: float = MARGIN
    quick_only: bool = False
    kept_ahead: int = 0
    margin_ahead: float = 0.0

    @property
    def plies(self) -> int:
        """Rolls of look-ahead."""
        return 1 if self.kind == LOOKAHEAD else 0

    @property
    def digests(self) -> dict[str, str]:
        """The hash of its weights by their name: policies of one name may differ in them."""
        return {self.weights: digest_of(self.weights)} if self.weights else {}

    @property
    def knows_equity(self) -> bool:
        """Whether its scores are equities."""
        return bool(self.weights)


POLICIES = {
    policy.name: policy
    for policy in (
        Policy("random", RANDOM, "uniform over the distinct results of the roll"),
        Policy(
            "greedy",
            GREEDY,
            "a small heuristic: blots, points, primes, the bar; about 2.2 points a game over random",
        ),
        Policy("net", NET, "neural nets, no look-ahead", weights="net"),
        Policy("net-fast", NET, "small nets, twice as fast", weights="net", quick_only=True),
        Policy(
            "net-1ply",
            LOOKAHEAD,
            "the nets of net with one roll of look-ahead",
            weights="net",
            kept_ahead=5,
            margin_ahead=0.16,
        ),
    )
}


def find_policy(name: str) -> Policy:
    """Return the policy of that name, or one that plays by a weight file (.npz) of that path.

    Raises:
        PolicyError: there is none; names the ones there are.

    >>> find_policy("greedy").name
    'greedy'
    """
    if isinstance(name, str) and name.endswith(".npz"):
        return Policy(name, NET, "a weight file, no look-ahead", weights=name)
    if not isinstance(name, str) or name not in POLICIES:
        allowed = ", ".join(POLICIES)
        raise PolicyError(
            f"unknown policy {name!r}{did_you_mean(str(name), POLICIES)}; use one of: {allowed}, or the path "
            "of a weight file (.npz)"
        )
    return POLICIES[name]


@dataclass(frozen=True, slots=True)
class Players:
    """Some policies ready to play: the kernels' players, and the nets that their numbers mean."""

    players: tuple[Player, ...]
    nets: Nets

    def evaluator(self, tables: Loaded = NO_TABLES) -> Evaluator:
        """A new evaluator, for one thread."""
        return new_evaluator(self.nets, tables)


def players_of(*names: str) -> Players:
    """Return the players of some policies, with all their nets.

    Raises:
        PolicyError: no such policy, or weights that cannot be used.
    """
    policies = tuple(map(find_policy, names))
    return _players(policies, tuple(stamp_of(policy.weights) for policy in policies if policy.weights))


@lru_cache(maxsize=16)
def _players(policies: tuple[Policy, ...], stamps: tuple[object, ...]) -> Players:
    """As players_of; the stamps see to it that a file that has changed is read again."""
    numbers: dict[str, int] = {}  # of the first net of the weights of that name
    nets: list[Net] = []
    players = []
    for policy in policies:
        if policy.weights and policy.weights not in numbers:
            numbers[policy.weights] = len(nets)
            nets.extend(weights_of(policy.weights).nets)
        first = numbers[policy.weights] if policy.weights else NONE
        players.append(_player(policy, first))
    return Players(tuple(players), joined(nets))


def _player(policy: Policy, first: int) -> Player:
    """A policy as the kernels know it, its nets being numbered from `first` on."""
    quick = bool(policy.weights) and weights_of(policy.weights).quick is not None
    if policy.quick_only and not quick:
        raise PolicyError(f"the weights of {policy.name!r} have no quick nets")
    main = first + 2 if policy.quick_only else first
    sorts_out = quick and not policy.quick_only
    return Player(
        kind=policy.kind,
        contact=main,
        race=main + 1 if policy.weights else NONE,
        quick_contact=first + 2 if sorts_out else NONE,
        quick_race=first + 3 if sorts_out else NONE,
        kept=policy.kept,
        margin=round(policy.margin * POINT),
        kept_ahead=policy.kept_ahead,
        margin_ahead=round(policy.margin_ahead * POINT),
    )


def players_by(weights: Weights) -> Players:
    """A player without look-ahead by weights that need not be in a file, as a policy of theirs would play."""
    player = net_player(0)
    if weights.quick is not None:
        player = player._replace(quick_contact=2, quick_race=3, kept=KEPT, margin=round(MARGIN * POINT))
    return Players((player,), joined(weights.nets))


def equity_of(score: int) -> float:
    """The cubeless equity that a net's score says, whether or not the play was sorted out before."""
    return (score + LEFT_OUT // 2) % LEFT_OUT / POINT - LEFT_OUT // 2 / POINT


def count_ranked(policy: str, boards: npt.NDArray[np.uint64]) -> int:
    """Let a policy choose on all 21 rolls of boards (uint64[n, 4]); returns how many results it ranked."""
    ready = players_of(policy)
    results, scores = np.zeros((MAX_RESULTS, 4), np.uint64), np.zeros(MAX_RESULTS, np.int64)
    player, evaluator = ready.players[0], ready.evaluator()
    return int(rank_all_rolls(player, boards, OUTCOME_VALUES, evaluator, results, scores))


def net_player(first: int) -> Player:
    """A player without look-ahead by the contact net of number `first` and the race net after it."""
    return Player(NET, first, first + 1, NONE, NONE, 0, 0, 0, 0)


def score_positions(policy: str, before: Position, results: Sequence[Position]) -> list[int]:
    """Return a policy's score of each result of a play (seen from the mover): any scale, higher is better.

    `random` has no preference: all its scores are 0.

    Raises:
        PolicyError: no such policy.
    """
    ready = players_of(policy)
    boards = pack(results)
    scores = np.zeros(len(boards), np.int64)
    if len(boards):
        before_board: Any = pack([before])[0]
        score_results(
            ready.players[0], before_board, boards, len(boards), OUTCOME_VALUES, ready.evaluator(), scores
        )
    return [int(score) for score in scores]
