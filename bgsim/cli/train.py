"""bgsim train: weights for a policy, from a configuration."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bgsim.cli.common import leave_stopped, note, note_compiling, sentences


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(train)


@sentences
def train(
    config: Annotated[Path, typer.Argument(help="TOML file, such as configs/train-net.toml.")],
    generations: Annotated[
        int | None, typer.Option(help="Make so many generations more (default: all of the configuration).")
    ] = None,
) -> None:
    """Train nets by self-play; goes on from the last checkpoint, and Ctrl-C loses one generation at most."""
    from bgsim.apps.train import TrainJob

    job = TrainJob.make(config)
    note_compiling("rollout")

    def said(made: Any) -> None:
        note(
            f"generation {made.number}: {made.samples:,} positions of {made.games:,} games, "
            f"{made.targets} targets, equity error contact {made.contact_error:.4f} "
            f"race {made.race_error:.4f}, {made.play_seconds:.1f} s of play, "
            f"{made.fit_seconds:.1f} s of fitting"
        )

    state, stopped = job.run(generations=generations, listener=said, games=lambda games: None)
    note(f"weights after {state.games:,} games in {job.path('.npz')}")
    if stopped:
        note("bgsim: stopped; the same command goes on from the last generation")
        leave_stopped()
