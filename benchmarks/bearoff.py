"""Exact tables built by bgsim and by GNU Backgammon's makebearoff: CPU time, peak memory, pairs a second.

    python -m benchmarks.bearoff --checkers 6 8 10 --out results/bearoff/builds.parquet

Each build is a process of its own with a filled cache of kernels, on one thread, and its file is checked;
builds of the two programs take turns. A figure of time and memory against pairs is drawn beside the table.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa

from bgsim.bearoff.one_sided import build_one_sided
from bgsim.bearoff.two_sided import build_two_sided
from bgsim.run.provenance import provenance
from bgsim.run.tables import write_parquet

SCHEMA = pa.schema(
    [
        ("program", pa.string()),
        ("kind", pa.string()),
        ("checkers", pa.int64()),
        ("points", pa.int64()),
        ("entries", pa.int64()),  # positions, or pairs
        ("cpu_seconds", pa.float64()),  # median of the repeats; bgsim's without loading modules and kernels
        ("wall_seconds", pa.float64()),
        ("peak_memory", pa.int64()),  # bytes resident, of the whole process
        ("file_bytes", pa.int64()),
    ]
)
MAKEBEAROFF = Path("/usr/games/makebearoff")
LARGEST_OF_GNUBG = 8  # checkers of a two-sided table that it is asked for: 107 s for 7 already


def build(kind: str, checkers: int, points: int, out: Path) -> dict[str, float]:
    """One build in this process: CPU and wall seconds, the process's peak memory."""
    builder: Any = build_one_sided if kind == "one-sided" else build_two_sided
    builder(checkers=2, points=2)  # loads the kernels
    cpu, wall = time.process_time(), time.perf_counter()
    table = builder(checkers=checkers, points=points, out=out)
    spent = {"cpu_seconds": time.process_time() - cpu, "wall_seconds": time.perf_counter() - wall}
    assert (table.checkers, table.points) == (checkers, points)
    return {**spent, "peak_memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def bgsim_build(kind: str, checkers: int, points: int, out: Path) -> dict[str, float]:
    """The same in a new process."""
    job = [kind, str(checkers), str(points), str(out)]
    command = [sys.executable, "-m", "benchmarks.bearoff", "--one", *job]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def gnubg_build(kind: str, checkers: int, points: int, out: Path) -> dict[str, float]:
    """makebearoff as a process; its one-sided tables always have 15 checkers."""
    asked = ["-o", str(points)] if kind == "one-sided" else ["-t", f"{points}x{checkers}"]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([MAKEBEAROFF, *asked, "-f", out], capture_output=True, check=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu_seconds": cpu, "wall_seconds": wall, "peak_memory": 0}


def measure(kind: str, checkers: int, points: int, repeats: int) -> list[dict[str, Any]]:
    """A row for each program that can build this table."""
    programs = {"bgsim": bgsim_build}
    if MAKEBEAROFF.exists() and (kind == "one-sided" or checkers <= LARGEST_OF_GNUBG):
        programs["gnubg makebearoff"] = gnubg_build
    found: dict[str, list[dict[str, float]]] = {name: [] for name in programs}
    sizes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeats):
            for name, run in programs.items():
                out = Path(folder) / f"{name}.arrow"
                found[name].append(run(kind, checkers, points, out))
                sizes[name] = out.stat().st_size
                out.unlink()
    positions = _positions(checkers, points)
    row = {"kind": kind, "checkers": checkers, "points": points}
    return [
        {
            **row,
            "program": name,
            "entries": positions if kind == "one-sided" else positions**2,
            "cpu_seconds": median(run["cpu_seconds"] for run in runs),
            "wall_seconds": median(run["wall_seconds"] for run in runs),
            "peak_memory": int(max(run["peak_memory"] for run in runs)) or None,
            "file_bytes": sizes[name],
        }
        for name, runs in found.items()
    ]


def _positions(checkers: int, points: int) -> int:
    return comb(points + checkers, checkers)


def _line(row: dict[str, Any]) -> str:
    table = f"{row['program']:18} {row['kind']} {row['checkers']}x{row['points']}"
    rate = row["entries"] / row["cpu_seconds"]
    memory = f", {row['peak_memory'] / 1e6:.0f} MB" if row["peak_memory"] else ""
    return f"{table}: {row['cpu_seconds']:.2f} CPU s, {rate:,.0f} entries a CPU second{memory}"


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """CPU seconds of two-sided tables against their pairs."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    pyplot.rcParams["svg.hashsalt"] = "bgsim"
    figure, axes = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")
    for program in dict.fromkeys(row["program"] for row in rows):
        some = [r for r in rows if r["program"] == program and r["kind"] == "two-sided"]
        pairs, seconds = [r["entries"] for r in some], [r["cpu_seconds"] for r in some]
        axes.loglog(pairs, seconds, "o-", label=program)
        for r, at in zip(some, zip(pairs, seconds, strict=True), strict=True):
            text = f"{r['checkers']}x{r['points']}"
            axes.annotate(text, at, (5, -10), textcoords="offset points", fontsize=8)
    axes.set(xlabel="pairs of positions", ylabel="CPU seconds", title="Two-sided bear-off tables, one thread")
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bearoff", description=__doc__)
    names = "KIND", "CHECKERS", "POINTS", "FILE"
    parser.add_argument("--one", nargs=4, metavar=names, help="one build, as JSON")
    parser.add_argument("--checkers", type=int, nargs="*", default=[6, 8, 10], help="of two-sided tables")
    parser.add_argument("--points", type=int, nargs="*", default=[6, 7, 8], help="of one-sided tables")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, help="Parquet file; the figure lies beside it")
    asked = parser.parse_args()
    if asked.one:
        kind, checkers, points, out = asked.one
        print(json.dumps(build(kind, int(checkers), int(points), Path(out))))
        return
    jobs = [("one-sided", 15, points) for points in asked.points]
    jobs += [("two-sided", checkers, 6) for checkers in asked.checkers]
    rows: list[dict[str, Any]] = []
    for job in jobs:
        for row in measure(*job, asked.repeats):
            rows.append(row)
            print(_line(row), flush=True)
    if asked.out:
        write_parquet(asked.out, pa.Table.from_pylist(rows, schema=SCHEMA), provenance())
        draw(rows, asked.out.with_suffix(".svg"))


if __name__ == "__main__":
    main()
