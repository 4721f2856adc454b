"""The kernels' cache: whether it is filled, and filling it."""

from bgsim.core.notation import parse
from bgsim.engine.plays import legal_plays, perft
from bgsim.engine.policies import POLICIES, score_positions
from bgsim.kernels._jit import CACHE_FOLDER, cache_is_warm
from bgsim.run.runner import beside, warm_kernels

__all__ = ["CACHE_FOLDER", "beside", "compile_note", "warm_all"]


def compile_note() -> str | None:
    """A line for the user when what follows has to compile first, else None."""
    if cache_is_warm():
        return None
    if CACHE_FOLDER is None:
        how_often = "at every start, as no folder can be written to keep them: set BGSIM_CACHE_DIR to one"
    else:
        how_often = f"once for this version (kept in {CACHE_FOLDER})"
    return f"compiling the kernels, about 20 seconds, {how_often}"


def warm_all() -> None:
    """Run every kernel once on something small."""
    position = parse("start").position
    perft(position, 2)
    for play in legal_plays(position, (3, 1))[:1]:
        for policy in POLICIES:
            score_positions(policy, position, [play.after])
    warm_kernels()
