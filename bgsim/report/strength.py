"""Strength against speed: what the policies of a table score against one opponent, and how fast they play."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.ticker import LogLocator

from bgsim.report.figures import drawn

__all__ = ["strength_figure"]

POLICY = "#0072B2"  # of Okabe and Ito's colours


def strength_figure(rows: Sequence[Mapping[str, Any]], out: Path) -> None:
    """Draw points a game, with bars of one standard error, against games of self-play a CPU second.

    rows: those of `benchmarks.strength`, all against the same opponent and of the same seed.
    out: .svg, .png or .pdf.
    """
    opponent, seed = rows[0]["opponent"], rows[0]["seed"]
    games = sorted({row["games"] for row in rows})
    speeds = [float(row["games_per_s"]) for row in rows]
    number = f"{games[0]:,}" if len(games) == 1 else f"{games[0]:,} to {games[-1]:,}"
    with drawn(out, 8.5, 4.5) as figure:
        axes = figure.subplots()
        axes.axhline(0, color="black", linewidth=0.8)
        _write(axes, opponent, (1, 0), left=True, above=True, xycoords=("axes fraction", "data"))
        axes.errorbar(
            speeds,
            [row["points_per_game"] for row in rows],
            yerr=[row["standard_error"] for row in rows],
            fmt="o",
            capsize=3,
            color=POLICY,
        )
        _label(axes, rows)
        _scale(axes, speeds)
        axes.set_title(f"Strength against {opponent}, {number} games each, seed {seed}", fontsize=10)
        axes.set_xlabel("games of self-play a CPU second")
        axes.set_ylabel("points a game, ± one standard error")
        axes.grid(alpha=0.3)


def _scale(axes: Any, speeds: Sequence[float]) -> None:
    """Speeds by their logarithms, in plain numbers, with room for the labels."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if max(speeds) < 200 * min(speeds) else (1,)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.margins(x=0.45, y=0.15)


def _label(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Names and hidden layers, by turns above and below: what is faster is weaker, so there is room there."""
    for number, row in enumerate(sorted(rows, key=lambda row: float(row["games_per_s"]))):
        text = f"{row['label']} ({row['widths']})" if row["widths"] else row["label"]
        below = number % 2 == 1
        _write(axes, text, (row["games_per_s"], row["points_per_game"]), left=below, above=not below)


def _write(
    axes: Any, text: str, place: tuple[float, float], *, left: bool, above: bool, xycoords: Any = "data"
) -> None:
    """A text beside a place, a little apart."""
    axes.annotate(
        text,
        place,
        xycoords=xycoords,
        xytext=(-6 if left else 6, 3 if above else -3),
        textcoords="offset points",
        horizontalalignment="right" if left else "left",
        verticalalignment="bottom" if above else "top",
        fontsize=8,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3},  # not struck through by the line at 0
    )
