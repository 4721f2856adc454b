"""What the commands share: sentences for mistakes, notes on stderr, option texts."""

import functools
from collections.abc import Callable
from typing import Any

import typer

POSITION_HELP = "XGID, GNU Position ID (or ID:Match ID), point list, or a set-up such as start."
JSON_HELP = "Print JSON on stdout and nothing else."


def sentences(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a user's mistake into one sentence and exit 1, Ctrl-C into exit 130; never a traceback."""

    @functools.wraps(command)
    def wrapped(*args: Any, **options: Any) -> None:
        from bgsim.core.errors import BgsimError

        try:
            command(*args, **options)
        except BgsimError as error:
            note(f"bgsim: {error}")
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            note("bgsim: stopped")
            raise typer.Exit(130) from None

    return wrapped


def note(text: str) -> None:
    """A line for the user on stderr."""
    typer.echo(text, err=True)


def note_compiling() -> None:
    """Say beforehand that the first run of a version takes longer."""
    from bgsim.apps.warm import compile_note

    text = compile_note()
    if text:
        note(text)


def print_json(value: object) -> None:
    """Plain JSON on stdout."""
    import json

    typer.echo(json.dumps(value, indent=2))
