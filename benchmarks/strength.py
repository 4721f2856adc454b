"""Strength against speed: policies against an outside one over paired games, and what each does a second.

Speeds first, by turns and alone; then the duels, one process each. Rows that are done are kept in the table,
so that a run may be stopped and goes on. Once all are there, the table is drawn beside itself (.svg).
"""

import argparse
import tomllib
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from benchmarks.clock import cpu_seconds
from benchmarks.corpus import corpus
from benchmarks.games import play_games
from bgsim.apps.duel import run_duel
from bgsim.core.errors import PolicyError
from bgsim.engine.boards import pack
from bgsim.engine.policies import count_ranked, find_policy
from bgsim.engine.weights import Weights, weights_of, write_weights
from bgsim.report.strength import strength_figure
from bgsim.run.provenance import provenance
from bgsim.run.tables import read_parquet, write_parquet

SCHEMA = pa.schema(
    [
        ("label", pa.string()),
        ("policy", pa.string()),
        ("opponent", pa.string()),
        ("games", pa.int64()),
        ("points_per_game", pa.float64()),
        ("standard_error", pa.float64()),
        ("games_per_s", pa.float64()),  # self-play from the start, cubeless, a CPU second
        ("evaluations_per_s", pa.float64()),  # distinct results ranked, contact positions, a CPU second
        ("widths", pa.string()),  # hidden layers of the contact net, then of the quick one
        ("weights_hash", pa.string()),
        ("training_games", pa.int64()),  # of its own, not of a teacher or of weights that it began from
        ("training_cpu_hours", pa.float64()),
        ("seed", pa.int64()),
    ]
)
REPEATS = 5
SECONDS = 2.0


class Entry(BaseModel):
    """One policy of the table."""

    model_config = ConfigDict(extra="forbid")

    label: str
    policy: str  # a name, or a weight file relative to the configuration
    games: int = 40_000
    quick_only: bool = False  # its quick nets alone


class StrengthConfig(BaseModel):
    """Keys of the configuration."""

    model_config = ConfigDict(extra="forbid")

    opponent: str
    seed: int
    out: str  # a Parquet file, relative to the configuration
    entries: list[Entry] = Field(min_length=1)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strength", description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--workers", type=int, default=2, help="duels at once")
    asked = parser.parse_args()
    config = StrengthConfig.model_validate(tomllib.loads(asked.config.read_text()))
    out = asked.config.parent / config.out
    with TemporaryDirectory() as scratch:
        names = {entry.label: _name(asked.config.parent, entry, Path(scratch)) for entry in config.entries}
        rows = _measured(config, names, out, asked.workers)
    strength_figure(rows, out.with_suffix(".svg"))
    _print(rows)


def _measured(config: StrengthConfig, names: dict[str, str], out: Path, workers: int) -> list[dict[str, Any]]:
    """All rows, those that were missing being measured; the table is written after each."""
    done = {row["label"]: row for row in _kept(out)}
    missing = [e for e in config.entries if not _is_done(done.get(e.label), e, config, names[e.label])]
    speeds = _speeds([names[entry.label] for entry in missing])
    with ProcessPoolExecutor(workers) as pool:
        asked_for = {
            pool.submit(run_duel, names[e.label], config.opponent, games=e.games, seed=config.seed): e
            for e in missing
        }
        for future in as_completed(asked_for):
            entry, duel = asked_for[future], future.result()
            name = names[entry.label]
            done[entry.label] = {
                "label": entry.label,
                "policy": entry.policy,
                "opponent": config.opponent,
                "games": duel.games,
                "points_per_game": duel.points_per_game,
                "standard_error": duel.standard_error,
                "games_per_s": speeds[name][0],
                "evaluations_per_s": speeds[name][1],
                "seed": config.seed,
                **_weights(name),
            }
            rows = [done[entry.label] for entry in config.entries if entry.label in done]
            write_parquet(out, pa.Table.from_pylist(rows, schema=SCHEMA), provenance())
            print(f"{entry.label}: {duel.points_per_game:+.4f} points a game", flush=True)
    return [done[entry.label] for entry in config.entries]


def _name(folder: Path, entry: Entry, scratch: Path) -> str:
    """The policy of an entry; quick nets alone are those of a weight file in `scratch`."""
    name = str((folder / entry.policy).resolve()) if entry.policy.endswith(".npz") else entry.policy
    if not entry.quick_only:
        return name
    whole = weights_of(find_policy(name).weights)
    if whole.quick is None:
        raise PolicyError(f"the weights of {entry.policy!r} have no quick nets")
    path = scratch / f"{entry.label}.npz"
    with path.open("wb") as file:
        write_weights(file, Weights(*whole.quick, whole.provenance))
    return str(path)


def _kept(out: Path) -> list[dict[str, Any]]:
    return read_parquet(out).to_pylist() if out.exists() else []


def _is_done(row: dict[str, Any] | None, entry: Entry, config: StrengthConfig, name: str) -> bool:
    """Whether a kept row is of these very weights and games."""
    return (
        row is not None
        and (row["opponent"], row["seed"], row["games"]) == (config.opponent, config.seed, entry.games)
        and row["weights_hash"] == _weights(name)["weights_hash"]
    )


def _print(rows: list[dict[str, Any]]) -> None:
    print(f"{'':20}{'points a game':>18}{'games/s':>10}{'evaluations/s':>15}  hidden layers")
    for row in rows:
        print(
            f"{row['label']:20}{row['points_per_game']:+9.4f} ±{row['standard_error']:.4f}"
            f"{row['games_per_s']:11.1f}{row['evaluations_per_s']:15,.0f}  {row['widths']}"
        )


def _speeds(names: list[str]) -> dict[str, tuple[float, float]]:
    """Games and evaluations a CPU second of each policy, medians of repeats taken by turns."""
    boards = pack(corpus()["nn"])
    games: dict[str, list[float]] = {name: [] for name in names}
    evaluations: dict[str, list[float]] = {name: [] for name in names}
    for repeat in range(-1, REPEATS):  # the first warms
        for name in names:
            began, count = cpu_seconds(), 0
            while (spent := cpu_seconds() - began) < SECONDS and (repeat >= 0 or count == 0):
                count += play_games(name, 20, first=count).games
            rate, began, ranked = count / max(spent, 1e-9), cpu_seconds(), 0
            while (spent := cpu_seconds() - began) < SECONDS and (repeat >= 0 or ranked == 0):
                ranked += count_ranked(name, boards[:50])
            if repeat >= 0:
                games[name].append(rate)
                evaluations[name].append(ranked / spent)
    return {name: (median(games[name]), median(evaluations[name])) for name in names}


def _weights(name: str) -> dict[str, Any]:
    """What the table says of a policy's weights."""
    policy = find_policy(name)
    if not policy.weights:
        return {"widths": "", "weights_hash": "", "training_games": 0, "training_cpu_hours": 0.0}
    weights = weights_of(policy.weights)
    nets = [weights.quick[0]] if policy.quick_only and weights.quick else [weights.contact]
    if weights.quick and not policy.quick_only:
        nets.append(weights.quick[0])
    return {
        "widths": " + ".join("-".join(map(str, net.widths)) for net in nets),
        "weights_hash": weights.digest,
        "training_games": int(weights.provenance.get("games", 0)),
        "training_cpu_hours": float(weights.provenance.get("cpu_hours", 0.0)),
    }


if __name__ == "__main__":
    main()
