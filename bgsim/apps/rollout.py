"""Rollouts: the main job."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bgsim.apps.warm import warm
from bgsim.core.errors import PlanError, TableError
from bgsim.core.files import as_path
from bgsim.core.notation import parse, with_rules
from bgsim.core.position import Position
from bgsim.core.rules import Rules
from bgsim.core.state import GameState
from bgsim.engine.policies import DEFAULT, find_policy
from bgsim.run.executor import Executor, make_executor
from bgsim.run.ledger import Ledger
from bgsim.run.plan import Plan, Root
from bgsim.run.runner import Stop, check_batch, run_plan, warm_kernels
from bgsim.run.statistics import RolloutStatistics

if TYPE_CHECKING:
    from bgsim.apps.target import Target
    from bgsim.run.parts import PartStore

__all__ = ["RolloutResult", "RolloutRun", "rollout", "run_rollout"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutResult:
    """What the trials of one position say; one row of the rollout table, with the same names.

    Rates are cumulative and from the player on roll; `equity` is cubeless, in points. Each has its standard
    error under the same name with `_se`. Cubeful figures and match winning chances are None where they do
    not apply.
    """

    position_id: str
    match_id: str | None
    xgid: str
    name: str
    roll: str | None
    opening: bool
    rules: str
    jacoby: bool
    policy: str
    opponent_policy: str
    plies: int
    cubeful: bool
    trials: int
    seed: int
    stratified: bool
    tables: str
    truncate: str
    win: float
    win_se: float
    win_gammon: float
    win_gammon_se: float
    win_backgammon: float
    win_backgammon_se: float
    lose_gammon: float
    lose_gammon_se: float
    lose_backgammon: float
    lose_backgammon_se: float
    equity: float
    equity_se: float
    cubeful_equity: float | None = None
    cubeful_equity_se: float | None = None
    mwc: float | None = None
    mwc_se: float | None = None
    cubeful_mwc: float | None = None
    cubeful_mwc_se: float | None = None
    mean_plies: float
    variance_reduction: str
    truncated_trials: int
    settled_trials: int
    table_trials: int
    marked: bool
    point_of_view: str

    def row(self) -> dict[str, Any]:
        """All figures by column name."""
        return asdict(self)

    def turned(self) -> "RolloutResult":
        """The same figures from the view of the player who is not on roll.

        The rate of losing is what is left of winning, except for truncated trials, which nobody wins.
        """
        turned = self.row()
        lost = 1.0 - self.win - self.truncated_trials / self.trials
        turned.update(win=lost, equity=-self.equity, point_of_view=_OTHER_VIEW[self.point_of_view])
        for own, other in (("win_gammon", "lose_gammon"), ("win_backgammon", "lose_backgammon")):
            for suffix in ("", "_se"):
                turned[own + suffix], turned[other + suffix] = (
                    turned[other + suffix],
                    turned[own + suffix],
                )
        return RolloutResult(**turned)

    def seen_from(self, point_of_view: str) -> "RolloutResult":
        """The same figures from a view: "on_roll", or "bottom" (the bottom player of the XGID)."""
        top_on_roll = self.xgid.split(":")[3] == "-1"
        return self.turned() if point_of_view == "bottom" and top_on_roll else self


PRINTED_VIEW = "printed_point_of_view"  # key of a table's metadata
_OTHER_VIEW = {"on_roll": "opponent", "opponent": "on_roll"}


@dataclass(frozen=True, slots=True)
class RolloutRun:
    """Results in plan order (positions without a finished trial left out), and how the run went."""

    results: tuple[RolloutResult, ...]
    finished: bool
    trials_played: int  # by this run, without what an earlier one left
    seconds: float


def make_result(plan: Plan, root: Root, statistics: RolloutStatistics) -> RolloutResult:
    """One row of the table."""
    state = root.state
    own, other = plan.two_policies
    return RolloutResult(
        position_id=state.position.gnubg_id,
        match_id=state.match_id,
        xgid=state.xgid,
        name=root.name,
        roll=None if state.roll is None else f"{state.roll[0]}{state.roll[1]}",
        opening=state.opening,
        rules=str(state.rules),
        jacoby=state.rules.jacoby,
        policy=own,
        opponent_policy=other,
        plies=find_policy(own).plies,
        cubeful=False,
        trials=statistics.trials,
        seed=plan.seed,
        stratified=plan.stratified,
        tables=" ".join(plan.tables),
        truncate=plan.truncate,
        **statistics.figures(),
        mean_plies=statistics.mean_plies,
        variance_reduction="stratified" if plan.stratified else "none",
        truncated_trials=statistics.truncated_trials,
        settled_trials=statistics.settled_trials,
        table_trials=statistics.ended_in_table,
        marked=statistics.truncated_trials > 0,
        point_of_view="on_roll",
    )


def rollout(
    position: GameState | Position | str,
    *,
    rules: str | Rules | None = None,
    policy: str = DEFAULT,
    opponent_policy: str | None = None,
    trials: int = 1296,
    seed: int = 0,
    cubeful: bool = False,
    opening: bool | None = None,
    stratified: bool = False,
    tables: Sequence[str] = (),
    truncate: str = "none",
    settle: bool = True,
    executor: str = "local",
    workers: int | None = None,
    address: str | None = None,
    batch: int | None = None,
) -> RolloutResult:
    """Roll out one position and return its equity and rates, from the player on roll.

    position is a GameState, a Position or any text that `bgsim.parse` reads. Equal arguments give
    bit-identical figures whatever the executor, workers and batch. `tables` ("built-in", or files of
    `bgsim bearoff build`) are exact tables by which nets play; `truncate` ("exact", "bearoff") ends trials
    there too; `settle` ends them when nothing can change their outcome. See `bgsim.run.plan.Plan`.

    Raises:
        BgsimError: a position, rule, policy or number that cannot be; one sentence says what to do.

    >>> rollout("AQAABAAAAAAAAA", trials=36).equity
    1.0
    """
    state = _state_of(position, rules=rules, opening=opening)
    refuse_cubeful(cubeful)
    plan = Plan(
        roots=(Root(state),),
        policy=policy,
        opponent_policy=opponent_policy or "",
        trials=trials,
        seed=seed,
        stratified=stratified,
        tables=tables,
        truncate=truncate,
        settle=settle,
    )
    run = run_rollout(plan, executor=executor, workers=workers, address=address, batch=batch)
    if not run.finished:
        raise KeyboardInterrupt
    return run.results[0]


def _state_of(position: object, *, rules: str | Rules | None, opening: bool | None) -> GameState:
    """The state meant, with other rules or another opening flag where they are given."""
    if isinstance(position, str):
        return parse(position, rules=rules, opening=opening)
    if isinstance(position, Position):
        position = GameState(position)
    if not isinstance(position, GameState):
        raise PlanError(
            f"a rollout begins from a GameState, a Position or a text such as 'start', "
            f"not {type(position).__name__}"
        )
    return with_rules(position, rules=rules, opening=opening)


def refuse_cubeful(cubeful: bool) -> None:
    """Raise PlanError when cubeful play is asked for: this version does not have it."""
    if cubeful:
        raise PlanError("cubeful rollouts are not there yet: leave out cubeful to roll out cubeless")


def run_rollout(
    plan: Plan,
    *,
    executor: str = "local",
    workers: int | None = None,
    address: str | None = None,
    batch: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    point_of_view: str = "on_roll",
    stop: Stop | None = None,
    started: Callable[[int, int], None] | None = None,
    listener: Callable[[int], None] | None = None,
) -> RolloutRun:
    """Carry out a plan and, if `out` is given, write its table there.

    `out` ending in .parquet becomes one file, anything else a folder. Finished work is kept in parts beside
    it until then; `resume` goes on from them. An existing table is refused unless `resume` (then it must be
    of this very plan, and is returned as it is) or `overwrite`. `started` is told the trials in all and those
    already finished, `listener` the trials of each finished task. `point_of_view` is kept with
    the table, whose figures are the player on roll's: `bgsim info` prints them from there.

    Raises:
        BgsimError: one sentence says what is wrong and what to do.
    """
    # Options first: a mistake in them must not cost the work that --overwrite would clear away.
    chosen = make_executor(executor, workers=workers, address=address)
    check_batch(batch)
    ledger = Ledger(len(plan.roots))
    if out is None:
        if resume or overwrite:
            option = "--resume" if resume else "--overwrite"
            raise PlanError(f"{option} needs --out: the table to go on with or to replace")
        return _play(plan, ledger, None, chosen, batch, stop, started, listener)
    target = _target(as_path(out), plan)
    try:
        if target.prepare(resume=resume, overwrite=overwrite):
            return RolloutRun(load_results(target.file), finished=True, trials_played=0, seconds=0.0)
        target.store.load(ledger)
        run = _play(plan, ledger, target.store, chosen, batch, stop, started, listener)
        if run.finished:
            run_data = {"seconds": run.seconds, "executor": executor, "workers": chosen.workers}
            rows = [result.row() for result in run.results]
            target.write(rows, {PRINTED_VIEW: point_of_view, **run_data})
        return run
    finally:
        target.store.release()


def _play(
    plan: Plan,
    ledger: Ledger,
    store: "PartStore | None",
    executor: Executor,
    batch: int | None,
    stop: Stop | None,
    started: Callable[[int, int], None] | None,
    listener: Callable[[int], None] | None,
) -> RolloutRun:
    """Play what the ledger lacks and put the results together."""
    before = ledger.trials()
    # The driver compiles first: workers that all found an empty cache would each compile for themselves.
    warm("rollout")
    with executor as ready:
        ready.prepare(warm_kernels)
        clock = time.perf_counter()
        if started is not None:
            started(sum(plan.trials_of(root) for root in plan.roots), before)
        finished = run_plan(plan, ready, ledger, store=store, batch=batch, stop=stop, listener=listener)
        seconds = time.perf_counter() - clock
    results = tuple(
        make_result(plan, root, totals.statistics())
        for root, totals in zip(plan.roots, ledger.totals, strict=True)
        if totals.trials
    )
    return RolloutRun(results, finished, ledger.trials() - before, seconds)


def _target(path: Path, plan: Plan) -> "Target":
    """Where the table goes; pyarrow is loaded only now, 0.1 s that a run without a table need not pay."""
    from bgsim.apps.target import Target

    return Target(path, plan)


def load_results(path: Path) -> tuple[RolloutResult, ...]:
    """The rows of a finished table.

    Raises:
        TableError: it cannot be read, or is no rollout table.
    """
    from bgsim.run.tables import read_table

    names = [field.name for field in fields(RolloutResult)]
    table = read_table(path)
    missing = sorted(set(names) - set(table.column_names))
    if missing:
        raise TableError(f"{path} is no rollout table: it has no column {missing[0]}")
    return tuple(RolloutResult(**row) for row in table.select(names).to_pylist())
