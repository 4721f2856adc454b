"""bgsim rollout: the main job."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bgsim.cli.common import JSON_HELP, leave_stopped, note, note_compiling, print_json, sentences


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(rollout)


@sentences
def rollout(
    positions: Annotated[
        list[str] | None,
        typer.Argument(
            help="Positions (XGID, GNU id, point list, start, ...), text files of them, or - for stdin."
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="TOML file; options given here override it.")] = None,
    trials: Annotated[int | None, typer.Option(help="Trials of each position (default 1296).")] = None,
    rules: Annotated[str | None, typer.Option(help="money, cubeless, match:N, dmp, nackgammon, ...")] = None,
    policy: Annotated[str | None, typer.Option(help="Who chooses the plays (default net).")] = None,
    opponent_policy: Annotated[str | None, typer.Option(help="Policy of the player not on roll.")] = None,
    cubeful: Annotated[bool | None, typer.Option("--cubeful", help="Play with the cube (not yet).")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the dice, 0 to 2^64 - 1 (default 0).")] = None,
    opening: Annotated[
        bool | None,
        typer.Option("--opening/--no-opening", help="The first roll is one of the 15 non-doubles."),
    ] = None,
    stratified: Annotated[
        bool | None, typer.Option("--stratified/--plain", help="Stratify the first two rolls.")
    ] = None,
    tables: Annotated[
        str | None, typer.Option(help="Exact tables to play by: built-in, or files, parted by commas.")
    ] = None,
    truncate: Annotated[
        str | None, typer.Option(help="End trials in a table: exact or bearoff (default none).")
    ] = None,
    settle: Annotated[
        bool | None, typer.Option("--settle/--to-the-end", help="End trials once nothing can change them.")
    ] = None,
    executor: Annotated[str | None, typer.Option(help="local (threads, the default) or ray.")] = None,
    address: Annotated[str | None, typer.Option(help="Ray cluster, HOST:PORT or auto.")] = None,
    workers: Annotated[int | None, typer.Option(help="Threads or Ray workers (default: the cores).")] = None,
    batch: Annotated[int | None, typer.Option(help="Trials of a task (default: 0.3 s of work).")] = None,
    out: Annotated[str | None, typer.Option(help="Table to write: X.parquet or a folder X/.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted --out.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing --out.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a file with a bad line.")] = False,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Roll out positions: equity and gammon rates with their standard errors, one row a position."""
    given: dict[str, Any] = {
        "trials": trials,
        "rules": rules,
        "policy": policy,
        "opponent_policy": opponent_policy,
        "cubeful": cubeful,
        "seed": seed,
        "opening": opening,
        "stratified": stratified,
        "tables": None if tables is None else tables.split(","),
        "truncate": truncate,
        "settle": settle,
        "executor": executor,
        "address": address,
        "workers": workers,
        "batch": batch,
        "out": out,
    }
    from bgsim.apps.rollout_job import RolloutJob

    job = RolloutJob.make(positions or [], config, {k: v for k, v in given.items() if v is not None})
    for fault in job.faults:
        note(f"bgsim: {fault}")
    job.refuse_faults(strict)
    for text in job.notes():
        note(text)
    note_compiling("rollout")
    from bgsim.cli.progress import progress

    with progress(quiet=json) as shown:
        run = job.run(resume=resume, overwrite=overwrite, started=shown.start, listener=shown.advance)
    if json:
        print_json([result.row() for result in run.results])
    elif run.results:
        from bgsim.cli.tables import print_results

        print_results(run.results, job.point_of_view)
    if job.out and run.finished:
        note(f"table written to {job.out}" if run.trials_played else f"{job.out} was already finished")
    if not run.finished:
        kept = f"; what is finished is kept: go on with --resume --out {job.out}" if job.out else ""
        note(f"bgsim: stopped before the end{kept}")
        leave_stopped()
