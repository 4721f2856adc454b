"""bgsim bench: how fast this machine is."""

from typing import Annotated

import typer

from bgsim.cli.common import JSON_HELP, note_compiling, print_json, sentences


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(bench)


@sentences
def bench(
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Measure plays, rolls and games a second on one thread, and start-up; takes under a minute."""
    from bgsim.apps.bench import run_bench
    from bgsim.apps.warm import KERNEL_SETS, warm_all

    note_compiling(*KERNEL_SETS)
    warm_all()
    figures = run_bench()
    if json:
        print_json(figures)
        return
    for name, value in figures.items():
        typer.echo(f"{name:20} {'-' if value is None else format(value, ',.2f' if value < 100 else ',.0f')}")
