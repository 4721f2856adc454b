"""Which part of bgsim may import which, read off the sources; and what a help text may load."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import bgsim

PACKAGE = Path(bgsim.__file__).parent

# A room imports from itself and from the rooms named here; `run.tables` is a single module.
ROOMS = {
    "core": set(),
    "kernels": set(),
    "bearoff": {"core", "kernels"},
    "engine": {"core", "kernels", "bearoff"},
    "formats": {"core"},
    "run": {"core", "kernels", "engine", "bearoff"},
    "training": {"core", "kernels", "engine", "run"},
    "apps": {"core", "kernels", "engine", "bearoff", "formats", "run", "training"},
    "report": {"core", "apps", "run.tables"},
    "cli": {"core", "apps", "report", "run.tables"},
}
# Packages from outside the standard library: the rooms or single modules that may import them.
OUTSIDE = {
    "numpy": {"core", "kernels", "engine", "bearoff", "run", "training", "apps", "report"},
    "numba": {"kernels"},
    "llvmlite": {"kernels"},
    "pyarrow": {"run.tables", "run.parts", "bearoff", "training.log"},
    "ray": {"run.ray"},
    "threadpoolctl": {"training.generation"},
    "pydantic": {"apps"},
    "typer": {"cli"},
    "rich": {"cli"},
    "matplotlib": {"report"},
    "jinja2": {"report"},
}
# Light enough to answer a typing mistake without loading numpy.
LIGHT = ("bgsim", "bgsim.core.errors", "bgsim.core.rules", "bgsim.core.notation", "bgsim.cli.main")
HEAVY = ("numpy", "numba", "ray", "pyarrow", "pydantic", "matplotlib")


class Import(NamedTuple):
    """One import: the module that has it (dotted, without `bgsim.`), what it names, and where."""

    module: str
    target: str
    top: bool  # run when the module is imported
    place: str


def imports_of(path: Path, package: Path = PACKAGE) -> list[Import]:
    """Every import of a source file, those inside functions and under TYPE_CHECKING as well."""
    module = ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = set(map(id, tree.body))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno} is a relative import"
            # `from bgsim.kernels import playout` names a module, `from bgsim.run.plan import Plan` a thing
            targets = [f"{node.module}.{name.name}" for name in node.names]
        else:
            continue
        found += [Import(module, t, id(node) in top, f"{module}:{node.lineno}") for t in targets]
    return found


def is_in(name: str, places: set[str]) -> bool:
    """Whether a dotted name is one of these places or inside one."""
    return any(name == place or name.startswith(f"{place}.") for place in places)


def fault_of(found: Import) -> str | None:
    """What is wrong with an import, if anything."""
    target = found.target
    if target.split(".")[0] in sys.stdlib_module_names:
        return None
    room = found.module.split(".")[0]
    if target.split(".")[0] != "bgsim":
        allowed = OUTSIDE.get(target.split(".")[0], set())
        return None if is_in(found.module, allowed) else f"{found.place} imports {target}"
    inside = target.removeprefix("bgsim.")
    if room not in ROOMS:  # __init__, __main__ and _version: the doors of the house
        return None
    if is_in(inside, {room, "_version", *ROOMS[room]}):
        return None
    return f"{found.place} imports {target}: {room} may import {', '.join(sorted(ROOMS[room])) or 'no other'}"


SOURCES = sorted(PACKAGE.rglob("*.py"))
IMPORTS = [found for path in SOURCES for found in imports_of(path)]


def test_no_arrow_points_the_wrong_way():
    assert [fault for found in IMPORTS if (fault := fault_of(found))] == []


def test_every_folder_is_a_room():
    folders = {path.parent.name for path in SOURCES if path.parent != PACKAGE}
    assert folders <= set(ROOMS)
    assert {path.stem for path in SOURCES if path.parent == PACKAGE} == {"__init__", "__main__", "_version"}


def test_rooms_have_an_order():
    """Each names only rooms above it in the table, so no two can ever need each other."""
    order = list(ROOMS)
    for room, allowed in ROOMS.items():
        assert all(order.index(other.split(".")[0]) < order.index(room) for other in allowed)


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("core/x.py", "from bgsim.engine.plays import legal_plays"),
        ("core/x.py", "def f():\n    import bgsim.kernels.board"),
        ("kernels/x.py", "from bgsim.core.position import Position"),
        ("engine/x.py", "import numba"),
        ("engine/x.py", "from numba import njit"),
        ("engine/x.py", "from bgsim.run import plan"),
        ("run/x.py", "import ray"),
        ("run/x.py", "def f():\n    from ray.exceptions import RayError"),
        ("run/plan.py", "import pyarrow.parquet as pq"),
        ("run/x.py", "from bgsim.apps.rollout import rollout"),
        ("run/x.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from bgsim.cli import main"),
        ("apps/x.py", "import torch"),
        ("cli/x.py", "from bgsim.engine.plays import perft"),
        ("cli/x.py", "from bgsim.run.runner import run_plan"),
        ("cli/x.py", "from bgsim.run import tables, runner"),
        ("cli/x.py", "import numpy"),
        ("core/x.py", "import somethingelse"),
    ],
)
def test_a_wrong_arrow_is_seen(tmp_path, module, text):
    path = tmp_path / module
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    assert any(fault_of(found) for found in imports_of(path, tmp_path))


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("cli/x.py", "import os\nimport typer\nfrom bgsim.run.tables import read_table"),
        ("run/ray.py", "import ray\nfrom bgsim.run import local"),
        ("run/parts.py", "import pyarrow as pa\nfrom bgsim.engine.batch import Records"),
        ("apps/x.py", "from bgsim.kernels import _jit"),
        ("kernels/x.py", "from numba.core import cgutils"),
    ],
)
def test_a_right_arrow_is_allowed(tmp_path, module, text):
    path = tmp_path / module
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    assert [fault_of(found) for found in imports_of(path, tmp_path) if fault_of(found)] == []


def test_command_files_import_only_typer_and_the_standard_library_at_their_top():
    wrong = [
        found.place
        for found in IMPORTS
        if found.top
        and found.module.split(".")[0] == "cli"
        and found.target.split(".")[0] not in {"typer", *sys.stdlib_module_names}
        and not found.target.startswith("bgsim.cli")
    ]
    assert wrong == []


# --- what is really loaded ------------------------------------------------------------------------

LOADED = f"sorted(name for name in {HEAVY} if name in sys.modules)"
HELP = f"""
import json, sys
from typer.testing import CliRunner
from bgsim.cli.main import app
from typer.main import get_command

loaded = {{}}
for name in ["", *get_command(app).commands]:
    result = CliRunner().invoke(app, [*([name] if name else []), "--help"])
    assert result.exit_code == 0, result.output
    loaded[name or "bgsim"] = [{LOADED}, "Usage" in result.output]
print(json.dumps(loaded))
"""


def answer_of(code):
    """What a fresh process prints as JSON."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("module", LIGHT)
def test_light_modules_load_nothing_heavy(module):
    assert answer_of(f"import json, sys, {module}; print(json.dumps({LOADED}))") == []


def test_no_help_text_loads_anything_heavy():
    """Each command's help in one process, one after the other: none may load what the others would not."""
    loaded = answer_of(HELP)
    assert loaded.keys() >= {"bgsim", "rollout", "plays", "show", "perft", "bench", "warm", "info"}
    assert {command: answer for command, answer in loaded.items() if answer != [[], True]} == {}
