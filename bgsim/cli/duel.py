"""bgsim duel: which of two policies plays better."""

from typing import Annotated

import typer

from bgsim.cli.common import JSON_HELP, leave_stopped, note, note_compiling, print_json, sentences


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(duel)


@sentences
def duel(
    first: Annotated[str, typer.Argument(help="A policy, a weight file (.npz), gnubg-nn or bgsage.")],
    second: Annotated[str, typer.Argument(help="The other.")],
    games: Annotated[
        int, typer.Option(help="Games; every stream of dice is played in both seatings.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the dice, 0 to 2^64 - 1.")] = 0,
    position: Annotated[str, typer.Option(help="Where games begin.")] = "start",
    executor: Annotated[str, typer.Option(help="local (threads, the default) or ray.")] = "local",
    address: Annotated[str | None, typer.Option(help="Ray cluster, HOST:PORT or auto.")] = None,
    workers: Annotated[int | None, typer.Option(help="Threads or Ray workers (default: the cores).")] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Play two policies against each other on the same dice: points a game of the first, and its error."""
    from bgsim.apps.duel import run_duel
    from bgsim.cli.progress import progress

    note_compiling("rollout")
    with progress(quiet=json) as shown:
        result = run_duel(
            first,
            second,
            games=games,
            seed=seed,
            position=position,
            executor=executor,
            workers=workers,
            address=address,
            started=shown.start,
            listener=shown.advance,
        )
    if json:
        print_json(result.to_dict())
    elif result.games:
        typer.echo(
            f"{first} against {second}: {result.points_per_game:+.4f} points a game, standard error "
            f"{result.standard_error:.4f}, over {result.games:,} games in pairs"
        )
    if not result.finished:
        note("bgsim: stopped before the end")
        leave_stopped()
