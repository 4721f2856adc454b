"""bgsim info: what a table holds."""

from pathlib import Path
from typing import Annotated

import typer

from bgsim.cli.common import JSON_HELP, print_json, sentences


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(info)


@sentences
def info(
    table: Annotated[Path, typer.Argument(help="A table written by bgsim: X.parquet or a folder.")],
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Show a table's metadata and its rows, seen as they were printed (--json: by the player on roll)."""
    from bgsim.apps.rollout import PRINTED_VIEW, load_results
    from bgsim.apps.target import check_finished
    from bgsim.run.tables import read_metadata

    check_finished(table)
    metadata = read_metadata(table)
    results = load_results(table)
    if json:
        print_json({"metadata": metadata, "rows": [result.row() for result in results]})
        return
    for key, value in metadata.items():
        if key != "plan":
            typer.echo(f"{key}: {value}")
    from bgsim.cli.tables import print_results

    print_results(results, metadata.get(PRINTED_VIEW, "on_roll"))
