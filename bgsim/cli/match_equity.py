"""bgsim match-equity: scores, take points, tables."""

from typing import Annotated, Any

import typer

from bgsim.cli.common import JSON_HELP, print_json, sentences

TABLE_HELP = "kazaross-xg2 (the default), snowie, ..., or a .csv or .xml file."


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Match equity: what scores and doubles are worth.")
    for command in (show, matrix):
        group.command()(command)
    app.add_typer(group, name="match-equity")


@sentences
def show(
    own: Annotated[int, typer.Argument(help="Points that the player needs.")],
    other: Annotated[int, typer.Argument(help="Points that the opponent needs.")],
    table: Annotated[str, typer.Option(help=TABLE_HELP)] = "kazaross-xg2",
    crawford: Annotated[
        bool | None,
        typer.Option("--crawford/--after-crawford", help="Which game it is where one side needs 1."),
    ] = None,
    gammons: Annotated[
        tuple[float, float],
        typer.Option(help="Shares of gammons among the wins of both."),
    ] = (0.0, 0.0),
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Show the chance to win the match, gammon values, take, double, cash and too-good points."""
    from bgsim.apps.match_equity import match_equity

    found = match_equity(own, other, table=table, crawford=crawford, gammons=gammons)
    if json:
        print_json(found)
        return
    when = {found["crawford"]: ", Crawford game", found["after_crawford"]: ", after the Crawford game"}
    score = f"{own}-away against {other}-away{when.get(True, '')}"
    typer.echo(f"{score}: {found['win']:.2%} to win the match ({found['table']})")
    if found["free_drop_cost"] is not None:
        typer.echo(f"The leader may pass an immediate double at a cost of {found['free_drop_cost']:.2%}")
    for side in ("player", "opponent"):
        _print_side(side, found[side])


def _print_side(side: str, rows: list[dict[str, Any]]) -> None:
    names = [name for name in rows[0] if name != "cube"]
    typer.echo(f"\n{side:10}" + "".join(f"{name.replace('_', ' '):>18}" for name in names))
    for row in rows:
        typer.echo(f"cube {row['cube']:<5.0f}" + "".join(f"{row[name]:18.4f}" for name in names))


@sentences
def matrix(
    length: Annotated[int, typer.Option(min=1, max=64, help="Most points needed.")] = 15,
    table: Annotated[str, typer.Option(help=TABLE_HELP)] = "kazaross-xg2",
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Print a table: rows the points that the player needs, columns those of the opponent."""
    from bgsim.apps.match_equity import match_equity_matrix

    equities, rows, after = match_equity_matrix(length, table=table)
    if json:
        print_json({"table": equities.name, "before": rows, "after_crawford_trailer": after})
        return
    typer.echo(f"{equities.name}, percent; a row or column of 1 against more is the Crawford game")
    typer.echo("     " + "".join(f"{other:7}" for other in range(1, length + 1)))
    for own, row in enumerate(rows, 1):
        typer.echo(f"{own:4} " + "".join(f"{100 * chance:7.2f}" for chance in row))
    typer.echo(
        "post " + "".join(f"{100 * chance:7.2f}" for chance in after) + "  the trailer, after Crawford"
    )
