"""bgsim warm: compile once, before the work."""

import typer

from bgsim.cli.common import note_compiling, sentences


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(warm)


@sentences
def warm() -> None:
    """Compile every kernel into the cache, so that later commands start at once."""
    import time

    started = time.perf_counter()
    from bgsim.apps.warm import CACHE_FOLDER, KERNEL_SETS, warm_all

    note_compiling(*KERNEL_SETS)
    warm_all()
    seconds = time.perf_counter() - started
    typer.echo(f"kernels ready in {seconds:.1f} s, kept in {CACHE_FOLDER or 'memory only'}")
