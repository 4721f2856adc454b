"""The `bgsim` command."""

import io
import sys
from typing import Annotated

import typer

from bgsim.cli import bench, duel, info, perft, plays, rollout, show, train, warm

app = typer.Typer(
    help="Backgammon simulation and rollouts.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich costs 0.15 s of every --help
)
for command in (rollout, plays, show, perft, duel, train, bench, warm, info):
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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without ± is no reason to fail
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
