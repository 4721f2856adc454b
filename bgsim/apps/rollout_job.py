"""The main job as the command line and configurations describe it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from bgsim.apps.positions import roots_of, texts_of
from bgsim.apps.rollout import RolloutRun, refuse_cubeful, run_rollout
from bgsim.core.errors import PlanError, PositionError
from bgsim.core.files import as_path
from bgsim.engine.tables import beside
from bgsim.run.plan import Plan

__all__ = ["RolloutJob"]

PLAN_KEYS = ("policy", "opponent_policy", "trials", "seed", "stratified", "tables", "truncate", "settle")
RUN_KEYS = ("executor", "address", "workers", "batch", "out")


@dataclass(frozen=True, slots=True)
class RolloutJob:
    """A plan, how to run it, and the lines of its input that could not be read."""

    plan: Plan
    options: Mapping[str, Any]
    faults: Sequence[str]
    point_of_view: str  # of printed figures: "on_roll", or "bottom" (the bottom player of the XGID)

    @classmethod
    def make(cls, arguments: Sequence[str], config: Path | None, given: Mapping[str, Any]) -> Self:
        """Put a job together: the configuration's keys, overridden by what was given.

        Raises:
            BgsimError: nothing to roll out, or anything that cannot be; one sentence.
        """
        settings: dict[str, Any] = {}
        texts = texts_of(arguments)
        if config is not None:
            from bgsim.apps.configuration import RolloutConfig, read_config  # pydantic, 0.05 s

            config = as_path(config)
            read = read_config(config, RolloutConfig)
            settings = read.model_dump(exclude_none=True, exclude={"positions", "positions_file"})
            texts = texts or read.texts(config)
            if "tables" in settings:
                settings["tables"] = [beside(config, name) for name in settings["tables"]]
        settings |= given
        if not texts:
            raise PlanError("there is nothing to roll out: give positions, a file of them, or --config FILE")
        refuse_cubeful(settings.get("cubeful", False))
        roots, faults = roots_of(texts, rules=settings.get("rules"), opening=settings.get("opening"))
        plan = Plan(roots=tuple(roots), **{key: settings[key] for key in PLAN_KEYS if key in settings})
        options = {key: settings[key] for key in RUN_KEYS if key in settings}
        return cls(plan, options, faults, settings.get("point_of_view", "on_roll"))

    @property
    def out(self) -> str | None:
        """Where the table goes, if anywhere."""
        return self.options.get("out")

    def refuse_faults(self, strict: bool) -> None:
        """Raise PositionError when there are bad lines and none are allowed."""
        if strict and self.faults:
            count = len(self.faults)
            lines = "1 bad line" if count == 1 else f"{count} bad lines"
            raise PositionError(f"{lines} and --strict: nothing was rolled out")

    def notes(self) -> list[str]:
        """What the user should know before the run."""
        played = {self.plan.trials_of(root) for root in self.plan.roots}
        if played == {self.plan.trials}:
            return []
        counts = " or ".join(str(trials) for trials in sorted(played))
        return [
            f"stratified dice need whole cycles of first rolls: {self.plan.trials} trials become {counts}"
        ]

    def run(
        self,
        *,
        resume: bool,
        overwrite: bool,
        started: Callable[[int, int], None],
        listener: Callable[[int], None],
    ) -> RolloutRun:
        """Carry it out; see `run_rollout`."""
        return run_rollout(
            self.plan,
            resume=resume,
            overwrite=overwrite,
            point_of_view=self.point_of_view,
            started=started,
            listener=listener,
            **self.options,
        )
