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
    place = f"kept in {CACHE_FOLDER}" if CACHE_FOLDER else "no folder can be written to keep them"
    return f"compiling the kernels, about 20 seconds, once for this version ({place})"


def warm_all() -> None:
    """Run every kernel once on something small."""
    position = parse("start").position
    perft(position, 2)
    for play in legal_plays(position, (3, 1))[:1]:
        for policy in POLICIES:
            score_positions(policy, position, [play.after])
    warm_kernels()
