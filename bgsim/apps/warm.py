"""The kernels' cache: whether it is filled, and filling it."""

from collections.abc import Callable
from functools import cache

from bgsim.core.notation import parse
from bgsim.engine.estimates import estimate
from bgsim.engine.plays import legal_plays, perft
from bgsim.engine.policies import POLICIES, score_positions
from bgsim.kernels._jit import CACHE_FOLDER, is_compiled, mark_compiled
from bgsim.run.local import LocalExecutor
from bgsim.run.runner import beside, warm_kernels

__all__ = ["CACHE_FOLDER", "KERNEL_SETS", "beside", "compile_note", "warm", "warm_all"]


def compile_note(*names: str) -> str | None:
    """A line for the user when a set of kernels that follows has to compile first, else None."""
    if all(is_compiled(name) for name in names):
        return None
    if CACHE_FOLDER is None:
        how_often = "at every start, as no folder can be written to keep them: set BGSIM_CACHE_DIR to one"
    else:
        how_often = f"once for this version (kept in {CACHE_FOLDER})"
    return f"compiling the kernels, about 20 seconds, {how_often}"


@cache
def warm(name: str) -> None:
    """Compile a set of kernels, or load it from the cache: once a process."""
    beside(KERNEL_SETS[name])
    mark_compiled(name)


def warm_all() -> None:
    """Compile or load every kernel."""
    for name in KERNEL_SETS:
        warm(name)


def _rank_plays() -> None:
    position = parse("start").position
    for play in legal_plays(position, (3, 1))[:1]:
        for policy in POLICIES:
            score_positions(policy, position, [play.after])


def _estimate() -> None:
    for policy in ("net", "net-1ply"):
        estimate(policy, [parse("start").position])


def _count_plays() -> None:
    perft(parse("/ 6:1").position, 2)


def _train_a_little() -> None:
    from bgsim.training.generation import Recipe, Stage, first_state, run_generation

    stages = Stage(1, games=1, batch=1), Stage(1, games=1, batch=1, targets="averaged", every=20)
    recipe = Recipe(seed=0, contact=(128,), race=(128,), starts=("hypergammon",), stages=stages)
    made = run_generation(recipe, first_state(recipe), LocalExecutor(1))
    while made is not None:
        made = run_generation(recipe, made[0], LocalExecutor(1))


def _work_out_tables() -> None:
    from bgsim.bearoff.checks import recompute
    from bgsim.bearoff.one_sided import build_one_sided
    from bgsim.bearoff.two_sided import build_two_sided

    build_one_sided(points=2, checkers=2).numbers([[1, 1]])
    build_two_sided(points=1, checkers=15)  # with gammons
    recompute(build_two_sided(points=2, checkers=2), pairs=10)


KERNEL_SETS: dict[str, Callable[[], object]] = {
    "rollout": warm_kernels,
    "plays": _rank_plays,
    "evaluate": _estimate,
    "perft": _count_plays,
    "train": _train_a_little,
    "bearoff": _work_out_tables,
}
"""What commands need, by name: each runs its kernels once on something small."""
