"""bgsim show: a position for people."""

from typing import Annotated

import typer

from bgsim.cli.common import JSON_HELP, POSITION_HELP, print_json, sentences


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(show)


@sentences
def show(
    position: Annotated[str, typer.Argument(help=POSITION_HELP)],
    rules: Annotated[str | None, typer.Option(help="Rules, such as money, match:7 or hypergammon.")] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Draw a position, with its ids, pip counts and class."""
    from bgsim.core.notation import parse

    state = parse(position, rules=rules)
    pips = state.position.pips
    if json:
        print_json(
            {
                "position_id": state.position.gnubg_id,
                "match_id": state.match_id,
                "xgid": state.xgid,
                "pips_on_roll": pips[0],
                "pips_opponent": pips[1],
                "class": state.position.position_class,
                "rules": str(state.rules),
                "opening": state.opening,
            }
        )
        return
    typer.echo(str(state))
    typer.echo(f" Pip counts: X {pips[0]}, O {pips[1]}")
    typer.echo(f" Class: {state.position.position_class}")
    typer.echo(f" Rules: {state.rules}")
