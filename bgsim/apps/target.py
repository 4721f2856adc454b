"""Where the table of a rollout goes, and what may be there already."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bgsim.core.errors import TableError
from bgsim.core.files import as_path, check_place
from bgsim.run.parts import PartStore, check_same_plan, finished_trials
from bgsim.run.plan import Plan
from bgsim.run.provenance import provenance
from bgsim.run.tables import read_metadata, write_table

__all__ = ["Target", "check_finished"]

# A folder with such a name would surprise its owner.
OTHER_FORMATS = (".arrow", ".csv", ".feather", ".json", ".jsonl", ".pq", ".toml", ".tsv", ".txt", ".xlsx")


def check_finished(path: Path) -> None:
    """Raise TableError where there is no table yet, but the parts of a run that was interrupted."""
    path = as_path(path)
    folder = _parts_folder(path)
    trials = 0 if path.is_file() or any(path.glob("*.parquet")) else finished_trials(folder)
    if trials:
        raise TableError(
            f"{path} is unfinished: {trials:,} trials are kept in {folder}; give the command that began it "
            "once more with --resume"
        )


def _is_file(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


def _parts_folder(path: Path) -> Path:
    """Where the parts of a table to come are kept."""
    return path.with_name(f"{path.name}.parts") if _is_file(path) else path / "_parts"


class Target:
    """Where a plan's table goes: one file or a folder, and the parts kept until it is whole."""

    def __init__(self, path: Path, plan: Plan) -> None:
        if not path.name.strip() or path.suffix.lower() in OTHER_FORMATS:
            raise TableError(f"--out is '{path}', which names no table: use X.parquet, or X/ for a folder")
        self.path = path
        self._plan = plan
        self._is_file = _is_file(path)
        self.file = path if self._is_file else path / "part-000000.parquet"
        self.store = PartStore(_parts_folder(path), plan)

    def prepare(self, *, resume: bool, overwrite: bool) -> bool:
        """Make way for the table; returns True when it is already there, finished, and may be kept.

        Raises:
            TableError: something is there that would be lost, or that belongs to another plan.
        """
        if resume and overwrite:
            raise TableError(f"{self.path}: --resume goes on, --overwrite begins anew: give one of them")
        check_place(self.file)
        self._check_folder()
        self.store.lock()
        if overwrite:
            self.store.clear()
            return False
        if self.file.exists():
            if not resume:
                raise TableError(
                    f"{self.path} exists: add --resume to go on with it or --overwrite to replace it"
                )
            # Parts beside another plan's table are an --overwrite that was interrupted.
            if self._is_same_plan() or not self.store.exists():
                check_same_plan(self.path, self._stored_plan(), self._plan)
                self.store.clear()  # left by a crash between writing the table and this
                return True
        if self.store.exists() and not resume:
            raise TableError(
                f"an unfinished run lies in {self.store.folder}: add --resume to go on with it "
                "or --overwrite to begin anew"
            )
        return False

    def _check_folder(self) -> None:
        """A folder is read as one table, so nothing else may lie there."""
        if self._is_file or not self.path.is_dir():
            return
        others = [found.name for found in self.path.glob("*.parquet") if found != self.file]
        if others:
            raise TableError(f"{self.path} holds another table, {others[0]}: give a folder of its own")

    def _stored_plan(self) -> str:
        """The plan of the table that is there, as JSON."""
        plan = read_metadata(self.file).get("plan")
        if plan is None:
            raise TableError(f"{self.path} is no rollout table: add --overwrite to replace it")
        return plan

    def _is_same_plan(self) -> bool:
        return self._stored_plan() == self._plan.json

    def write(self, rows: Sequence[Mapping[str, Any]], about_run: Mapping[str, Any]) -> None:
        """Write the table whole, then let go of the parts."""
        metadata = {
            **provenance(),
            "weights_hash": " ".join(dict.fromkeys(self._plan.weights.values())),
            "plan": self._plan.json,
            "plan_id": self._plan.plan_id,
            "finished_trials": sum(row["trials"] for row in rows),
            **about_run,
        }
        write_table(self.file, rows, metadata)
        self.store.clear()
