"""The learning curve of a training run, from its log."""

import csv
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from bgsim.core.errors import TableError
from bgsim.report.figures import drawn
from bgsim.run.tables import read_parquet

__all__ = ["STRENGTH_COLUMNS", "learning_curve"]

STRENGTH_COLUMNS = ("games", "opponent", "points_per_game", "standard_error")
CONTACT, RACE, STRENGTH = "#0072B2", "#D55E00", "#009E73"  # Okabe and Ito: told apart by everybody


def learning_curve(log: Path, out: Path, strengths: Path | None = None) -> None:
    """Draw a training log: the equity's error by games played and, where they were measured, strengths.

    log: the Parquet file that `bgsim train` writes. out: .svg, .png or .pdf. strengths: CSV with the columns
    STRENGTH_COLUMNS, games being those of training.

    Raises:
        TableError: a file that cannot be read, is empty or has other columns; says which.
    """
    if not log.exists():
        raise TableError(f"{log} is not there: train first")
    rows = read_parquet(log).to_pylist()
    if not rows:
        raise TableError(f"{log} has no generation yet")
    measured = _strengths(strengths) if strengths is not None else []
    with drawn(out, 7.5, 6.0 if measured else 3.6) as figure:
        axes = figure.subplots(2 if measured else 1, 1, sharex=True, squeeze=False)[:, 0]
        _draw_errors(axes[0], rows)
        if measured:
            _draw_strengths(axes[1], measured)
        axes[-1].set_xlabel("games of training, millions")


def _draw_errors(axes: Any, rows: list[dict[str, Any]]) -> None:
    """Errors by generation; targets of another kind have another error, so a line ends with its kind."""
    games = np.cumsum([row["games"] for row in rows]) / 1e6
    start = 0
    for kind, members in groupby(rows, key=lambda row: row["targets"]):
        stretch = list(members)
        x = games[start : start + len(stretch)]
        for name, colour in (("contact", CONTACT), ("race", RACE)):
            label = f"{name}, {kind} targets"
            style = "-" if kind == "averaged" else ":"
            axes.plot(x, [row[f"{name}_error"] for row in stretch], style, color=colour, label=label)
        start += len(stretch)
    axes.set_ylabel("root mean squared error of the equity\nbefore each step of fitting")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    labels = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    axes.legend(labels.values(), labels.keys(), frameon=False)


def _draw_strengths(axes: Any, measured: list[dict[str, Any]]) -> None:
    """Points a game with an error bar of one standard error."""
    for opponent in dict.fromkeys(row["opponent"] for row in measured):
        some = [row for row in measured if row["opponent"] == opponent]
        axes.errorbar(
            [row["games"] / 1e6 for row in some],
            [row["points_per_game"] for row in some],
            yerr=[row["standard_error"] for row in some],
            fmt="o-",
            capsize=3,
            color=STRENGTH,
            label=f"against {opponent}, ± one standard error",
        )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_ylabel("points a game")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)


def _strengths(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        return [
            {name: row[name] if name == "opponent" else float(row[name]) for name in STRENGTH_COLUMNS}
            for row in rows
        ]
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError):
        raise TableError(f"{path} is no CSV with the columns {', '.join(STRENGTH_COLUMNS)}") from None
