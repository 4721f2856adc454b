"""Training a policy's weights from a configuration, generation after generation."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from bgsim.apps.configuration import read_config
from bgsim.core.errors import PlanError
from bgsim.core.files import as_path, check_place, write_aside
from bgsim.engine.nets import WIDTHS_THAT_FIT, widths_fit
from bgsim.engine.policies import find_policy
from bgsim.engine.weights import NETS, write_weights
from bgsim.run.executor import make_executor
from bgsim.run.provenance import provenance
from bgsim.run.runner import Stop
from bgsim.training.checkpoint import read_checkpoint, write_checkpoint
from bgsim.training.generation import Generation, Recipe, Stage, State, first_state, run_generation
from bgsim.training.log import read_log, write_log
from bgsim.training.self_play import starts_of

__all__ = ["TrainConfig", "TrainJob"]

STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class StageConfig(BaseModel):
    """One `[[stages]]` table; see `bgsim.training.generation.Stage`."""

    model_config = STRICT

    generations: int = Field(ge=1)
    games: int = Field(ge=1)
    targets: Literal["sampled", "averaged"] = "sampled"
    lasting: float = Field(default=0.0, ge=0.0, le=1.0)
    every: int = Field(default=4, ge=1)
    batch: int = Field(default=1024, ge=1)
    passes: int = Field(default=1, ge=1)
    rate: float = Field(default=3e-4, gt=0.0)
    rate_end: float | None = Field(default=None, gt=0.0)
    cycle: bool = False
    teacher: str = ""
    starts: list[str] = []


class TrainConfig(BaseModel):
    """Keys of a training configuration."""

    model_config = STRICT

    name: str = Field(pattern=r"^[a-z0-9-]+$")
    seed: int = Field(ge=0, lt=2**64)
    contact: list[int]  # widths of the hidden layers
    race: list[int]
    quick_contact: list[int] = []  # both or none
    quick_race: list[int] = []
    begin: str = ""  # a policy, or a weight file relative to the configuration file
    starts: list[str]  # taken in turn
    stages: list[StageConfig] = Field(min_length=1)
    out: str  # a folder, relative to the configuration file
    executor: str = "local"
    address: str | None = None
    workers: int | None = None

    def recipe(self, folder: Path) -> Recipe:
        """What decides the weights; `folder` is that of the configuration file."""
        return Recipe(
            seed=self.seed,
            contact=tuple(self.contact),
            race=tuple(self.race),
            quick_contact=tuple(self.quick_contact),
            quick_race=tuple(self.quick_race),
            begin=str(folder / as_path(self.begin)) if self.begin.endswith(".npz") else self.begin,
            starts=tuple(self.starts),
            stages=tuple(
                Stage(**stage.model_dump(exclude={"starts"}), starts=tuple(stage.starts))
                for stage in self.stages
            ),
        )


@dataclass(frozen=True, slots=True)
class TrainJob:
    """A recipe, and the files of its run: checkpoint, log and the weights as a policy can play them."""

    config: TrainConfig
    recipe: Recipe
    folder: Path

    @classmethod
    def make(cls, config: Path) -> Self:
        """Read a configuration.

        Raises:
            BgsimError: it cannot be read, or says what cannot be.
        """
        read = read_config(config, TrainConfig)
        if not read.starts:
            raise PlanError(f"{config}: 'starts' is empty: name at least one start position")
        if bool(read.quick_contact) != bool(read.quick_race):
            raise PlanError(f"{config}: give both 'quick_contact' and 'quick_race', or neither")
        for key in NETS:
            widths = getattr(read, key)
            if not widths_fit(widths) and (widths or not key.startswith("quick_")):
                raise PlanError(f"{config}: '{key}' is {widths}: it should be {WIDTHS_THAT_FIT}")
        for starts in (read.starts, *(stage.starts for stage in read.stages)):
            starts_of(tuple(starts))
        for number, stage in enumerate(read.stages, 1):
            if stage.targets == "averaged" and stage.lasting > 0 and stage.every > 1:
                raise PlanError(
                    f"{config}: 'stages.{number}.every' is {stage.every}: averaged targets with 'lasting' "
                    "are made for all positions of a game; set it to 1"
                )
            if stage.teacher and not find_policy(stage.teacher).knows_equity:
                raise PlanError(f"{config}: 'teacher' is {stage.teacher!r}, which has no nets to learn from")
        if read.begin and not find_policy(read.begin).weights:
            raise PlanError(f"{config}: 'begin' is {read.begin!r}, which has no nets to begin from")
        return cls(read, read.recipe(config.parent), config.parent / read.out)

    def path(self, ending: str) -> Path:
        """A file of the run."""
        return self.folder / f"{self.config.name}{ending}"

    def state(self) -> State:
        """The last checkpoint, or else what the recipe begins from."""
        path = self.path(".checkpoint.npz")
        return read_checkpoint(path, self.recipe) if path.exists() else first_state(self.recipe)

    def run(
        self, *, generations: int | None, listener: Callable[[Generation], None], games: Callable[[int], None]
    ) -> tuple[State, bool]:
        """Make generations until the recipe is done or so many are; a stop ends it after the last whole one.

        Returns the state and whether it was stopped.
        """
        check_place(self.path(".checkpoint.npz"))
        state, stop, log = self.state(), Stop(), read_log(self.path(".log.parquet"))
        log = [row for row in log if row.number <= state.generation]
        end = None if generations is None else state.generation + generations
        with (
            make_executor(
                self.config.executor, workers=self.config.workers, address=self.config.address
            ) as executor,
            stop.on_signals(),
        ):
            while end is None or state.generation < end:
                made = run_generation(self.recipe, state, executor, cancelled=stop.requested, listener=games)
                if made is None:
                    break
                state, row = made
                log.append(row)
                # The checkpoint last: what a crash leaves unwritten is then made once more.
                write_log(self.path(".log.parquet"), log)
                self.write_weights(state)
                write_checkpoint(self.path(".checkpoint.npz"), self.recipe, state)
                listener(row)
        return state, stop.requested()

    def write_weights(self, state: State) -> None:
        """Write the weights as a policy plays them."""
        facts = {
            "name": self.config.name,
            "recipe_seed": self.recipe.seed,
            "begin": state.begin,
            "generations": state.generation,
            "games": state.games,
            "cpu_hours": round(state.cpu_seconds / 3600, 3),
            "version": provenance()["version"],
            "git_commit": provenance()["git_commit"],
        }
        weights = replace(state.weights, provenance=facts)

        def write(aside: Path) -> None:
            with aside.open("wb") as file:
                write_weights(file, weights)

        write_aside(self.path(".npz"), write)
