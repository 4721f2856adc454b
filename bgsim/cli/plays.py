"""bgsim plays: every legal play of a roll."""

from typing import Annotated

import typer

from bgsim.cli.common import JSON_HELP, POSITION_HELP, print_json, ready, sentences


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(plays)


@sentences
def plays(
    position: Annotated[str, typer.Argument(help=POSITION_HELP)],
    roll: Annotated[
        str | None, typer.Argument(help="Such as 63; may be left out when the id has one.")
    ] = None,
    policy: Annotated[str | None, typer.Option(help="Policy that ranks them (default net).")] = None,
    rules: Annotated[str | None, typer.Option(help="Rules, such as money or hypergammon.")] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """List every legal play of a roll, one for each distinct result, best first."""
    from bgsim.core.errors import RollError
    from bgsim.core.notation import parse, parse_roll
    from bgsim.core.rules import check_playable

    state = parse(position, rules=rules)
    check_playable(state.rules)
    dice = state.roll if roll is None else parse_roll(roll)
    if dice is None:
        raise RollError("there is no roll: give one after the position, such as 63")
    ready("plays")
    from bgsim.apps.plays import rank_plays
    from bgsim.apps.warm import beside

    chosen = {} if policy is None else {"policy": policy}
    ranked = beside(lambda: rank_plays(state.position, dice, **chosen))
    if json:
        print_json([found.to_dict() for found in ranked])
        return
    if not ranked:
        typer.echo("the game is over" if state.position.is_over else "no legal play: the turn is lost")
        return
    width = max(len(str(found.play)) for found in ranked)
    for number, found in enumerate(ranked, start=1):
        worth = f"{found.score:6}" if found.equity is None else f"{found.equity:+.4f}"
        typer.echo(f"{number:4}  {found.play!s:{width}}  {worth}  {found.play.after.gnubg_id}")
