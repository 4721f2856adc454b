"""What the commands share: sentences for mistakes, notes on stderr, option texts."""

import contextlib
import functools
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import typer

POSITION_HELP = "XGID, GNU Position ID (or ID:Match ID), point list, or a set-up such as start."
JSON_HELP = "Print JSON on stdout and nothing else."
NOTE_LENGTH = 1000  # signs; more is somebody's pasted file


def sentences(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a user's mistake into one sentence and exit 1, Ctrl-C into exit 130; never a traceback."""

    @functools.wraps(command)
    def wrapped(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
        except KeyboardInterrupt:
            note("bgsim: stopped")
            leave_stopped()
        except Exception as error:
            from bgsim.core.errors import BgsimError

            if not isinstance(error, BgsimError):
                raise
            note(f"bgsim: {error}")
            raise typer.Exit(1) from None

    return wrapped


def leave_stopped() -> NoReturn:
    """Exit 130 at once: an orderly exit takes half a second, and waits for a compiler in another thread."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(130)


def note(text: str) -> None:
    """A line for the user on stderr; what came from outside may hold anything, and stays on one line."""
    printable = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
    if len(printable) > NOTE_LENGTH:
        printable = f"{printable[: NOTE_LENGTH // 2]} ... {printable[-NOTE_LENGTH // 2 :]}"
    typer.echo(printable, err=True)


def note_compiling(*names: str) -> None:
    """Say beforehand that the first run of a version takes longer: these sets of kernels are to compile."""
    from bgsim.apps.warm import compile_note

    text = compile_note(*names)
    if text:
        note(text)


def ready(name: str) -> None:
    """Compile a set of kernels or load it, saying so when it takes longer."""
    from bgsim.apps.warm import warm

    note_compiling(name)
    warm(name)


def print_json(value: object) -> None:
    """Plain JSON on stdout."""
    import json

    typer.echo(json.dumps(value, indent=2))
