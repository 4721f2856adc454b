"""bgsim bearoff: exact tables."""

from pathlib import Path
from typing import Annotated

import typer

from bgsim.cli.common import JSON_HELP, note, print_json, ready, sentences

TABLE_HELP = "Table file (or folder) that `bgsim bearoff build` made."
UNITS = {"one-sided": "positions", "two-sided": "pairs"}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Exact bear-off tables: build, query, check, export.")
    for command in (build, query, check, export):
        group.command()(command)
    app.add_typer(group, name="bearoff")


@sentences
def build(
    kind: Annotated[str, typer.Argument(help="one-sided or two-sided.")],
    checkers: Annotated[
        int | None, typer.Option(help="Most checkers of a side (default 15 one-sided, 6 two-sided).")
    ] = None,
    points: Annotated[int, typer.Option(help="How many points, from the ace point up.")] = 6,
    out: Annotated[
        str | None,
        typer.Option(help="File to write (default bearoff-KIND-CHECKERSxPOINTS.arrow), or a folder X/."),
    ] = None,
    beavers: Annotated[bool, typer.Option("--beavers", help="Doubles may be beavered (two-sided).")] = False,
    threads: Annotated[int | None, typer.Option(min=1, help="Default: all cores.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Work a table out; a large one goes on where an earlier build was stopped."""
    import os
    import time

    from bgsim.apps.bearoff import CHECKERS, build_bearoff
    from bgsim.cli.progress import progress

    ready("bearoff")
    size = CHECKERS.get(kind, 0) if checkers is None else checkers
    began = time.perf_counter()
    with progress(quiet, "working out", UNITS.get(kind, "")) as shown:
        made = build_bearoff(
            kind,
            out=out or f"bearoff-{kind}-{size}x{points}.arrow",
            points=points,
            checkers=checkers,
            beavers=beavers,
            threads=threads or os.cpu_count() or 1,
            started=lambda count: shown.start(count, 0),
            listener=shown.advance,
        )
    note(f"{made.describe()} in {made.path}, {time.perf_counter() - began:.1f} s")


@sentences
def query(
    file: Annotated[Path, typer.Argument(help=TABLE_HELP)],
    positions: Annotated[
        list[str], typer.Argument(help='Positions; to a one-sided table also a side alone, as "1:5 2:4".')
    ],
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Say what a table knows of positions: rolls and pips, or chances, equities and cube actions."""
    ready("bearoff")
    from bgsim.apps.bearoff import open_bearoff

    table = open_bearoff(file)
    answers = table.query_all(positions)
    if json:
        print_json(answers[0] if len(answers) == 1 else answers)
        return
    for text, answer in zip(positions, answers, strict=True):
        typer.echo(table.in_words(text, answer))


@sentences
def check(
    file: Annotated[Path, typer.Argument(help=TABLE_HELP)],
    pairs: Annotated[
        int, typer.Option(min=0, help="Random pairs of a two-sided table to work out again.")
    ] = 100_000,
) -> None:
    """Compare the checksum of every byte, and work random pairs out again from what they lead to."""
    ready("bearoff")
    from bgsim.apps.bearoff import check_bearoff
    from bgsim.cli.progress import progress

    with progress(False, "working out", "pairs") as shown:
        shown.start(pairs, 0)
        checked = check_bearoff(file, pairs=pairs, listener=shown.advance)
    typer.echo(f"{file} is whole: {checked.bearoff.describe()}")
    if checked.recomputed is not None:
        worst = ", ".join(f"{name} {share:.2f}" for name, share in checked.recomputed.worst.items())
        typer.echo(
            f"{checked.recomputed.pairs:,} random pairs agree with what they lead to; largest differences, "
            f"as shares of what rounding to 16 bits allows: {worst}"
        )


@sentences
def export(
    file: Annotated[Path, typer.Argument(help=TABLE_HELP)],
    out: Annotated[Path, typer.Option(help="Parquet file to write.")],
) -> None:
    """Write a table as Parquet: a row a position, or a pair of positions."""
    ready("bearoff")
    from bgsim.apps.bearoff import open_bearoff

    open_bearoff(file).export(out)
    note(f"the table is in {out}")
