"""Training in synchronous generations: frozen weights play, then they are fitted to what the games taught.

A generation is a function of the state before it and the recipe: games by counter dice, samples in a fixed
order, a fresh optimiser. So a run that was stopped goes on from its checkpoint as if nothing had happened.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from bgsim.core.errors import PlanError
from bgsim.engine.nets import Net, rounded
from bgsim.engine.policies import find_policy
from bgsim.engine.weights import NETS, Weights, weights_of
from bgsim.kernels.features import WORDS
from bgsim.kernels.fitting import write_words
from bgsim.run.executor import Executor
from bgsim.training.fit import Fit
from bgsim.training.self_play import GameTask, Lessons, play_games

__all__ = ["Generation", "Recipe", "Stage", "State", "first_state", "run_generation"]

GAMES_A_TASK = 64

Reals = tuple[npt.NDArray[np.float16], ...]  # a net: weights of each layer, then biases of each


@dataclass(frozen=True, slots=True)
class Stage:
    """Some generations that are made alike.

    targets: "sampled" (each position learns from the next one) or "averaged" (from the mean over 21 rolls);
    lasting: lambda, how far later positions of the game count; averaged targets with it are results with the
    luck taken out; every: averaged targets are made for every so manieth position; rate: of Adam, falling
    linearly to rate_end over the stage; cycle: within a generation it rises in a tenth of the steps and falls
    to almost nothing in the others; passes: over a generation's samples; teacher: see GameTask; starts:
    instead of the recipe's.
    """

    generations: int
    games: int
    targets: str = "sampled"
    lasting: float = 0.0
    every: int = 4
    batch: int = 1024
    passes: int = 1
    rate: float = 3e-4
    rate_end: float | None = None
    cycle: bool = False
    teacher: str = ""
    starts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides the weights: hidden widths, starts of games, stages one after another.

    Quick nets, if widths of them are given, learn from the same targets. begin: a policy, or a weight file,
    whose nets the nets begin as, widened where they are smaller; quick nets that it lacks begin at random,
    and so does everything without it.
    """

    seed: int
    contact: tuple[int, ...]
    race: tuple[int, ...]
    starts: tuple[str, ...]
    stages: tuple[Stage, ...]
    quick_contact: tuple[int, ...] = ()
    quick_race: tuple[int, ...] = ()
    begin: str = ""

    @property
    def widths(self) -> tuple[tuple[int, ...], ...]:
        """Hidden widths of each net that there is, in the order of a state's nets."""
        quick = (self.quick_contact, self.quick_race) if self.quick_contact and self.quick_race else ()
        return (self.contact, self.race, *quick)

    def stage_of(self, generation: int) -> tuple[Stage, float] | None:
        """The stage of a generation and its learning rate; None after the last."""
        first = 0
        for stage in self.stages:
            if generation < first + stage.generations:
                end = stage.rate if stage.rate_end is None else stage.rate_end
                share = (generation - first) / max(1, stage.generations - 1)
                return stage, stage.rate + (end - stage.rate) * share
            first += stage.generations
        return None


@dataclass(frozen=True, slots=True)
class State:
    """Real weights after some generations: float16 between them, so that a checkpoint is small and exact."""

    generation: int
    nets: tuple[Reals, ...]  # for contact and for races, then the quick ones of both if there are any
    games: int = 0
    cpu_seconds: float = 0.0  # of all generations
    begin: str = ""  # digest of the weights that these began from

    @property
    def widths(self) -> tuple[tuple[int, ...], ...]:
        """Widths of the hidden layers of each net."""
        return tuple(tuple(len(biases) for biases in net[len(net) // 2 : -1]) for net in self.nets)

    @property
    def weights(self) -> Weights:
        """The nets in whole numbers, as they play."""
        contact, race, *quick = map(_net, self.nets)
        return Weights(contact, race, quick=(quick[0], quick[1]) if quick else None)


@dataclass(frozen=True, slots=True)
class Generation:
    """What one generation did: samples and root mean squared errors of the equity before each step."""

    number: int
    targets: str
    rate: float
    games: int
    samples: int
    contact_error: float
    race_error: float
    play_seconds: float
    fit_seconds: float


def first_state(recipe: Recipe) -> State:
    """Random weights, or those that the recipe begins from.

    Raises:
        PolicyError: there are no such weights, or they cannot be read.
        PlanError: they have other layers than the recipe, or wider ones; says which.
    """
    rng = np.random.default_rng([recipe.seed, 1])
    fits = [Fit(widths, rng) for widths in recipe.widths]
    if not recipe.begin:
        return State(0, tuple(map(_small, fits)))
    begin = weights_of(find_policy(recipe.begin).weights)
    for key, fit, widths, net in zip(NETS, fits, recipe.widths, begin.nets, strict=False):
        if len(widths) != len(net.widths) or any(a < b for a, b in zip(widths, net.widths, strict=True)):
            raise PlanError(
                f"'{key}' is {list(widths)}, but that of {recipe.begin!r}, to begin from, is "
                f"{list(net.widths)}: give as many layers, none of them narrower"
            )
        fit.begin_from(net)
    return State(0, tuple(map(_small, fits)), begin=begin.digest)


def _net(arrays: Reals) -> Net:
    reals = [array.astype(np.float32) for array in arrays]
    return rounded(reals[: len(reals) // 2], reals[len(reals) // 2 :])


def _small(fit: Fit) -> Reals:
    return tuple(array.astype(np.float16) for array in (*fit.weights, *fit.biases))


def _fit_of(arrays: Reals, threads: int) -> Fit:
    fit = Fit(tuple(len(array) for array in arrays[len(arrays) // 2 : -1]), np.random.default_rng(0), threads)
    half = len(arrays) // 2
    for k in range(half):
        fit.weights[k][:] = arrays[k]
        fit.biases[k][:] = arrays[half + k]
    return fit


def run_generation(
    recipe: Recipe,
    state: State,
    executor: Executor,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    listener: Callable[[int], None] | None = None,
) -> tuple[State, Generation] | None:
    """Return the state after one more generation and what it did; None after the last or when cancelled."""
    found = recipe.stage_of(state.generation)
    if found is None:
        return None
    stage, rate = found
    cpu, begun = time.process_time(), time.perf_counter()
    lessons = _lessons(recipe, stage, state, executor, cancelled, listener)
    if lessons is None:
        return None
    played = time.perf_counter()
    boards = np.concatenate([lesson.boards for lesson in lessons])
    targets = np.concatenate([lesson.targets for lesson in lessons])
    words, contact = np.zeros((len(boards), WORDS), np.uint64), np.zeros(len(boards), np.bool_)
    write_words(boards, words, contact)
    results = []
    for net, arrays in enumerate(state.nets):
        chosen = ~contact if net % 2 else contact
        fit = _fit_of(arrays, executor.workers)
        rng = np.random.default_rng([recipe.seed, 2, state.generation, net])
        error = _learn(fit, words, np.flatnonzero(chosen), targets, stage, rate, rng)
        results.append((_small(fit), error))
    after = State(
        generation=state.generation + 1,
        nets=tuple(small for small, _ in results),
        games=state.games + stage.games,
        cpu_seconds=state.cpu_seconds + time.process_time() - cpu,
        begin=state.begin,
    )
    return after, Generation(
        number=after.generation,
        targets=stage.targets,
        rate=rate,
        games=stage.games,
        samples=len(boards),
        contact_error=results[0][1],
        race_error=results[1][1],
        play_seconds=played - begun,
        fit_seconds=time.perf_counter() - played,
    )


def _lessons(
    recipe: Recipe,
    stage: Stage,
    state: State,
    executor: Executor,
    cancelled: Callable[[], bool],
    listener: Callable[[int], None] | None,
) -> list[Lessons] | None:
    """All games of a generation, in the order of their numbers; None if cancelled."""
    weights = state.weights

    def tasks() -> Iterator[GameTask]:
        for first in range(0, stage.games, GAMES_A_TASK):
            yield GameTask(
                seed=recipe.seed,
                generation=state.generation,
                first_game=first,
                end_game=min(first + GAMES_A_TASK, stage.games),
                weights=weights,
                starts=stage.starts or recipe.starts,
                lasting=stage.lasting,
                averaged_every=stage.every if stage.targets == "averaged" else 0,
                teacher=stage.teacher,
            )

    lessons = []
    for lesson in executor.map(play_games, tasks(), cancelled):
        lessons.append(lesson)
        if listener is not None:
            listener(GAMES_A_TASK)
    if cancelled():
        return None
    return sorted(lessons, key=lambda lesson: lesson.first_game)


def _learn(
    fit: Fit,
    words: npt.NDArray[np.uint64],
    rows: npt.NDArray[np.int64],
    targets: npt.NDArray[np.float32],
    stage: Stage,
    rate: float,
    rng: np.random.Generator,
) -> float:
    """Fit a net to its samples, in whole batches; returns the root mean squared error of the equity."""
    squares, batches = 0.0, 0
    steps = stage.passes * (len(rows) // stage.batch)
    # Threads of the matrix products would only wait for one another: the parts of a batch have their own.
    with threadpool_limits(1, "blas"):
        for _ in range(stage.passes):
            order = rows[rng.permutation(len(rows))]
            for start in range(0, len(order) - stage.batch + 1, stage.batch):
                chosen = order[start : start + stage.batch]
                share = _cycle(batches, steps) if stage.cycle else 1.0
                squares += fit.step(words, chosen, targets[chosen], rate * share)
                batches += 1
    return float(np.sqrt(squares / batches)) if batches else float("nan")


def _cycle(step: int, steps: int) -> float:
    """Share of the rate at a step of so many."""
    rise = steps // 10
    return (step + 1) / (rise + 1) if step < rise else (steps - step) / (steps - rise)
