"""How right the nets' estimates are: against full rollouts by the strongest net, and beside GNU Backgammon's.

An estimate's error is the root of mean(d^2 - se^2) over the positions, d being its equity less that of the
rollout and se the rollout's standard error. The rollouts are kept and resumed.
"""

import argparse
import csv
import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import BaseModel, ConfigDict

from bgsim.apps.rollout import run_rollout
from bgsim.core.notation import parse
from bgsim.engine.estimates import estimate
from bgsim.run.plan import Plan, Root
from bgsim.run.provenance import provenance
from bgsim.run.tables import write_parquet

Reals = npt.NDArray[np.float64]
GNUBG = ("p0", "p2")


class QualityConfig(BaseModel):
    """Keys of the configuration."""

    model_config = ConfigDict(extra="forbid")

    positions: str  # CSV with position_id, class and gnubg's evaluations, relative to the configuration
    classes: list[str]
    truth: str  # the policy that rolls out
    trials: int
    seed: int
    policies: list[str]
    out: str  # a folder, relative to the configuration


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("config", type=Path)
    path = parser.parse_args().config
    config = QualityConfig.model_validate(tomllib.loads(path.read_text()))
    with (path.parent / config.positions).open(newline="", encoding="ascii") as lines:
        rows = [row for row in csv.DictReader(lines) if row["class"] in config.classes]
    plan = Plan(
        roots=tuple(Root(parse(row["position_id"])) for row in rows),
        policy=config.truth,
        trials=config.trials,
        seed=config.seed,
    )
    out = path.parent / config.out
    out.mkdir(parents=True, exist_ok=True)
    run = run_rollout(plan, out=out / "truth.parquet", resume=True)
    truth = np.array([result.equity for result in run.results])
    errors = np.array([result.equity_se for result in run.results])
    classes = np.array([row["class"] for row in rows])
    positions = [root.state.position for root in plan.roots]
    found: dict[str, Reals] = {
        f"gnubg {key}": np.array([float(row[f"{key}_eq"]) for row in rows]) for key in GNUBG
    }
    for policy in config.policies:
        found[policy] = _equities(estimate(policy, positions))
    table = []
    for kind in (*config.classes, "all"):
        chosen = np.full(len(rows), True) if kind == "all" else classes == kind
        for name, equities in found.items():
            off, deep = equities[chosen] - truth[chosen], equities[chosen] - found["gnubg p2"][chosen]
            table.append(
                {
                    "class": kind,
                    "evaluator": name,
                    "positions": int(chosen.sum()),
                    "rms_error": _root(off**2 - errors[chosen] ** 2),
                    "mean_error": float(off.mean()),
                    "rms_from_gnubg_p2": _root(deep**2),
                    "mean_rollout_se": float(errors[chosen].mean()),
                }
            )
    write_parquet(out / "quality.parquet", pa.Table.from_pylist(table), provenance())
    print(f"{'class':10}{'evaluator':14}{'n':>5}{'rms error':>11}{'mean':>9}{'rms from gnubg 2-ply':>22}")
    for row in table:
        print(
            f"{row['class']:10}{row['evaluator']:14}{row['positions']:5}{row['rms_error']:11.4f}"
            f"{row['mean_error']:+9.4f}{row['rms_from_gnubg_p2']:22.4f}"
        )


def _equities(chances: Reals) -> Reals:
    """2W - 1 + WG + WBG - LG - LBG."""
    return np.asarray(chances @ np.array([2.0, 1.0, 1.0, -1.0, -1.0]) - 1.0)


def _root(squares: Sequence[float] | Reals) -> float:
    """Root of a mean of squares, from which errors may have been taken: 0 where nothing is left."""
    return float(np.sqrt(max(0.0, float(np.mean(squares)))))


if __name__ == "__main__":
    main()
