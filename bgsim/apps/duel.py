"""Two policies against each other on the same dice."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from bgsim.apps.opponents import OUTSIDE, make_chooser, play_pair
from bgsim.apps.warm import warm
from bgsim.core.errors import PlanError
from bgsim.core.notation import parse
from bgsim.core.numbers import whole_within
from bgsim.core.state import GameState
from bgsim.kernels.dice import MAX_TRIAL
from bgsim.kernels.rollout import EQUITY, FIRST_VALUE
from bgsim.run.executor import make_executor
from bgsim.run.ledger import Ledger
from bgsim.run.plan import Plan, Root
from bgsim.run.runner import Stop, run_plan, warm_kernels
from bgsim.run.statistics import mean_and_error, paired_difference

__all__ = ["Duel", "run_duel"]

UNIT = 1 << 32  # a point in the kernels' sums


@dataclass(frozen=True, slots=True)
class Duel:
    """How a duel went: points a game to the first policy, and the standard error over pairs of games.

    A pair is one stream of dice played twice, with the seats changed. Cubeless, gammons count in full.
    """

    first: str
    second: str
    games: int
    points_per_game: float
    standard_error: float
    seed: int
    finished: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def run_duel(
    first: str,
    second: str,
    *,
    games: int = 10_000,
    seed: int = 0,
    position: str = "start",
    executor: str = "local",
    workers: int | None = None,
    address: str | None = None,
    started: Callable[[int, int], None] | None = None,
    listener: Callable[[int], None] | None = None,
) -> Duel:
    """Play two policies against each other; an odd number of games is rounded up to whole pairs.

    Besides bgsim's own policies either may be one of `OUTSIDE`, which a Python loop asks play by play.

    Raises:
        BgsimError: a policy, position or number that cannot be; one sentence says what to do.
    """
    if whole_within(games, 1, MAX_TRIAL) is None:
        raise PlanError(f"games is {games!r}: a whole number from 1 to {MAX_TRIAL} is allowed")
    pairs = -(-games // 2)
    state, stop = parse(position), Stop()
    if first in OUTSIDE or second in OUTSIDE:
        points, squares, played = _in_python(first, second, pairs, seed, state, stop, started, listener)
        mean, error = mean_and_error(points, squares, played) if played else (0.0, 0.0)
    else:
        plan = Plan(
            roots=(Root(state), Root(state, swapped=True)),
            policy=first,
            opponent_policy=second,
            trials=pairs,
            seed=seed,
        )
        ledger = Ledger(1, group_size=2)
        warm("rollout")
        with make_executor(executor, workers=workers, address=address) as ready:
            ready.prepare(warm_kernels)
            if started is not None:
                started(2 * pairs, 0)
            said = None if listener is None else lambda trials: listener(2 * trials)
            run_plan(plan, ready, ledger, stop=stop, listener=said)
        totals = ledger.totals[0]
        played = totals.trials
        values = [row[FIRST_VALUE + EQUITY] for row in totals.sums]
        mean, error = paired_difference(values, totals.products, played, 0, 1) if played else (0.0, 0.0)
        mean, error = mean / UNIT, error / UNIT
    return Duel(first, second, 2 * played, mean / 2, error / 2, seed, played == pairs)


def _in_python(
    first: str,
    second: str,
    pairs: int,
    seed: int,
    state: GameState,
    stop: Stop,
    started: Callable[[int, int], None] | None,
    listener: Callable[[int], None] | None,
) -> tuple[int, int, int]:
    """Sums of points and squared points of pairs (first's side), and how many pairs were played."""
    choosers = make_chooser(first), make_chooser(second)
    root = Root(state)
    if started is not None:
        started(2 * pairs, 0)
    points = squares = played = 0
    with stop.on_signals():
        while played < pairs and not stop.requested():
            value = play_pair(choosers, root, seed, played)
            points, squares, played = points + value, squares + value * value, played + 1
            if listener is not None:
                listener(2)
    return points, squares, played
