"""bgsim perft: counts of distinct results."""

from functools import partial
from typing import Annotated

import typer

from bgsim.cli.common import JSON_HELP, POSITION_HELP, print_json, ready, sentences


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(perft)


@sentences
def perft(
    position: Annotated[str, typer.Argument(help=POSITION_HELP)],
    depth: Annotated[int, typer.Argument(min=1, help="Plies; each adds a factor of about 450.")],
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Count distinct results over the 21 rolls, each roll once, to a depth; a lost turn counts as one."""
    from bgsim.core.notation import parse
    from bgsim.core.rules import check_playable

    state = parse(position)
    check_playable(state.rules)
    ready("perft")
    from bgsim.apps.plays import perft as count
    from bgsim.apps.warm import beside

    counts: list[int] = []
    for ply in range(1, depth + 1):
        counts.append(beside(partial(count, state.position, ply)))
        if not json:
            typer.echo(f"depth {ply}: {counts[-1]}")
    if json:
        print_json({"position_id": state.position.gnubg_id, "depth": depth, "results": counts})
