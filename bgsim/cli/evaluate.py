"""bgsim evaluate: what the nets think of positions."""

from typing import Annotated

import typer

from bgsim.cli.common import JSON_HELP, POSITION_HELP, print_json, ready, sentences


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(evaluate)


@sentences
def evaluate(
    positions: Annotated[list[str], typer.Argument(help=POSITION_HELP)],
    policy: Annotated[
        str | None, typer.Option(help="Whose nets (default net); net-1ply looks one roll ahead.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Estimate the chances and the cubeless equity of positions, before the roll."""
    from bgsim.core.notation import parse

    states = [parse(text) for text in positions]
    ready("evaluate")
    from bgsim.apps.evaluate import evaluate_all

    chosen = {} if policy is None else {"policy": policy}
    found = evaluate_all(states, **chosen)
    if json:
        rows = zip(states, found, strict=True)
        print_json([{"position_id": s.position.gnubg_id, **e.to_dict()} for s, e in rows])
        return
    width = max(map(len, positions))
    typer.echo(f"{'position':{width}}   equity     win   win g  win bg  lose g lose bg")
    for text, e in zip(positions, found, strict=True):
        rates = (e.win, e.win_gammon, e.win_backgammon, e.lose_gammon, e.lose_backgammon)
        typer.echo(f"{text:{width}}  {e.equity:+.4f}  " + "  ".join(f"{rate:.4f}" for rate in rates))
    typer.echo(f"Cubeless, from the view of the player on roll, before the roll; policy {found[0].policy}.")
