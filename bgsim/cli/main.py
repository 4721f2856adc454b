"""The `bgsim` command."""

import sys
from typing import Annotated

import typer

from bgsim.cli import (
    bearoff,
    bench,
    duel,
    evaluate,
    info,
    match_equity,
    perft,
    plays,
    rollout,
    show,
    train,
    warm,
)
from bgsim.cli.common import note
from bgsim.cli.streams import give_up_stdout, open_streams

app = typer.Typer(
    help="Backgammon simulation and rollouts.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich costs 0.15 s of every --help
)
for command in (rollout, plays, evaluate, show, perft, duel, train, bearoff, match_equity, bench, warm, info):
    command.register(app)


def _version(asked: bool) -> None:
    if asked:
        from bgsim.apps.about import version_text

        typer.echo(version_text())
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Backgammon simulation and rollouts."""


def run() -> None:
    """Entry point of the console script."""
    open_streams()
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:  # typer has seen to a reader that went away
        give_up_stdout()
        where = f" {error.filename}" if error.filename else ""
        note(f"bgsim: cannot read or write{where}: {error.strerror or error}")
        sys.exit(1)
