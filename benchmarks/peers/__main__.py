"""Time bgsim and its peers in one run, by turns, and say what plays by the same rules."""

import argparse
import json
import platform
from dataclasses import asdict
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

from benchmarks.peers import gnubg, gnubg_nn, open_spiel, pgx
from benchmarks.peers.contest import Heat, Peer, Work, hold, ratio
from benchmarks.peers.installed import version_of
from bgsim.run.provenance import provenance

PEERS = (open_spiel, pgx, gnubg_nn, gnubg)
LEAST_REPEATS = 3  # a median of fewer is one reading

Report = dict[str, Any]


def main() -> None:
    asked = _arguments()
    report: Report = {
        **provenance(),
        "libraries": {
            "python": platform.python_version(),
            **_versions("numpy", "numba", "pyarrow"),
        },
        "seconds": asked.seconds,
        "repeats": asked.repeats,
        "peers": [_measured(module, asked.seconds, asked.repeats) for module in PEERS],
    }
    if asked.out is not None:
        # pyarrow may be missing where only the printed figures are wanted.
        from benchmarks.peers.table import write

        write(asked.out, report)
    print(json.dumps(report, indent=2) if asked.json else _printed(report))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU seconds of a side in a repeat")
    parser.add_argument("--repeats", type=int, default=5, help="repeats, at least 3: the median is reported")
    parser.add_argument("--out", type=Path, help="Parquet file of all repeats")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    if asked.repeats < LEAST_REPEATS:
        parser.error(f"--repeats {asked.repeats} is too few for a median: ask for {LEAST_REPEATS} or more")
    if asked.seconds <= 0:
        parser.error(f"--seconds {asked.seconds:g} is no time to measure: ask for 0.5 or more")
    return asked


def _versions(*distributions: str) -> dict[str, str | None]:
    return {name: version_of(name) for name in distributions}


def _measured(module: ModuleType, seconds: float, repeats: int) -> Report:
    """Everything about one peer: who it is, whether it plays the same game, how fast."""
    peer: Peer = module.describe()
    report: Report = {**asdict(peer), "status": "not installed", "counts": None, "contests": []}
    if peer.version is None:
        return report
    try:
        counts, contests = module.check_counts(), module.contests()
    except ImportError as error:
        return {**report, "status": f"not usable: {error}"}
    report.update(status="measured", counts=None if counts is None else asdict(counts))
    for contest in contests:
        heats = hold(contest, seconds=seconds, repeats=repeats)
        report["contests"].append({"task": contest.task, "unit": contest.unit, **_figures(heats)})
    return report


def _figures(heats: tuple[Heat, ...]) -> Report:
    """Medians over the repeats, and the repeats themselves."""
    return {
        "bgsim_units_per_s": median(_units(heat.bgsim) for heat in heats),
        "peer_units_per_s": median(_units(heat.peer) for heat in heats),
        "ratio": ratio(heats, _units),
        "bgsim_rolls_per_s": median(_rolls(heat.bgsim) for heat in heats),
        "peer_rolls_per_s": median(_rolls(heat.peer) for heat in heats),
        "rolls_ratio": ratio(heats, _rolls) if all(heat.peer.rolls for heat in heats) else None,
        "heats": [{side: work._asdict() for side, work in heat._asdict().items()} for heat in heats],
    }


def _units(work: Work) -> float:
    return work.units / work.cpu_seconds


def _rolls(work: Work) -> float:
    return work.rolls / work.cpu_seconds


def _printed(report: Report) -> str:
    """Plain text: one block a peer."""
    machine = report["machine"]
    libraries = ", ".join(f"{name} {version}" for name, version in report["libraries"].items())
    lines = [
        f"bgsim {report['version']} on {machine['processor']}, {machine['cores']} cores; {libraries}",
        f"per CPU second, medians of {report['repeats']} repeats of {report['seconds']:g} s, in turn",
    ]
    for peer in report["peers"]:
        lines += ["", *_peer_lines(peer)]
    return "\n".join(lines)


def _peer_lines(peer: Report) -> list[str]:
    if peer["status"] != "measured":
        return [f"{peer['name']}: {peer['status']} (get it: {peer['requirement']})"]
    counts = peer["counts"]
    lines = [
        f"{peer['name']} {peer['version']}: lists {peer['lists']}",
        f"  both dice enforced: {'yes' if peer['uses_both_dice'] else 'no'}; {peer['note']}",
    ]
    if counts is not None:
        lines.append(
            f"  results as bgsim's in {counts['agreeing']:,} of {counts['rolls']:,} rolls "
            f"(too many in {counts['too_many']}, too few in {counts['too_few']})"
        )
        if counts["example"]:
            lines.append(f"    e.g. {counts['example']}")
    lines.append(f"  {'':38}{'bgsim':>14}{'peer':>14}{'ratio':>9}")
    for contest in peer["contests"]:
        lines.append(_rate_line(f"{contest['task']}: {contest['unit']}", contest, "units", "ratio"))
        if contest["rolls_ratio"] is not None:
            lines.append(_rate_line("  rolls", contest, "rolls", "rolls_ratio"))
    return lines


def _rate_line(name: str, contest: Report, what: str, which: str) -> str:
    own, peer = contest[f"bgsim_{what}_per_s"], contest[f"peer_{what}_per_s"]
    return f"  {name:38}{own:14,.0f}{peer:14,.0f}{contest[which]:9.3g}"


if __name__ == "__main__":
    main()
