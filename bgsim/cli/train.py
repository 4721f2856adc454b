"""bgsim train: weights for a policy, from a configuration."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bgsim.cli.common import leave_stopped, note, ready, sentences

if TYPE_CHECKING:
    from bgsim.apps.train import TrainJob

PICTURES = (".svg", ".png", ".pdf")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(train)


@sentences
def train(
    config: Annotated[Path, typer.Argument(help="TOML file, such as configs/train-net.toml.")],
    generations: Annotated[
        int | None,
        typer.Option(min=1, help="Make so many generations more (default: all of the configuration)."),
    ] = None,
    curve: Annotated[
        Path | None, typer.Option(help="Draw the log so far there (.svg, .png) and train nothing.")
    ] = None,
) -> None:
    """Train nets by self-play; goes on from the last checkpoint, and Ctrl-C loses one generation at most."""
    from bgsim.apps.train import TrainJob

    job = TrainJob.make(config)
    if curve is not None:
        _draw(job, curve)
        return
    ready("train")

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


def _draw(job: "TrainJob", curve: Path) -> None:
    """The learning curve, with the strengths that lie beside the log."""
    from bgsim.core.errors import PlanError

    if curve.suffix not in PICTURES:
        raise PlanError(f"--curve {curve} is no picture: the name may end in {', '.join(PICTURES)}")
    try:
        from bgsim.report.learning import learning_curve
    except ImportError:
        raise PlanError("figures need matplotlib: pip install 'bgsim[report]'") from None
    strengths = job.path(".strength.csv")
    learning_curve(job.path(".log.parquet"), curve, strengths if strengths.exists() else None)
    note(f"the learning curve is in {curve}")
