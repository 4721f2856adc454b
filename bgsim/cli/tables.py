"""Tables as a reader of equities likes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from bgsim.apps.rollout import RolloutResult

WIDE = 130  # columns for figures and errors side by side
VIEWS = {"on_roll": "the player on roll", "bottom": "the bottom player of the XGID"}
RATES = (
    ("win", "win"),
    ("win g", "win_gammon"),
    ("win bg", "win_backgammon"),
    ("lose g", "lose_gammon"),
    ("lose bg", "lose_backgammon"),
)


def print_results(results: Sequence["RolloutResult"], point_of_view: str) -> None:
    """One line a position: equity and rates from a view, each with its standard error."""
    from rich.console import Console

    if not results:
        return
    # Names are the user's: [brackets] and :colons: in them mean nothing.
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=160)  # a pipe has no width to fit
    shown = [result.seen_from(point_of_view) for result in results]
    console.print(_table(shown, between=" " if console.width >= WIDE else "\n"))
    first = results[0]
    policies = (
        first.policy if first.policy == first.opponent_policy else f"{first.policy} v {first.opponent_policy}"
    )
    console.print(
        f"Cubeless, from the view of {VIEWS[point_of_view]}; policy {policies}, seed {first.seed}; "
        "± one standard error."
    )
    if any(result.marked for result in results):
        console.print("* some trials ran into the limit of rolls and scored 0")


def _table(results: Sequence["RolloutResult"], between: str) -> "Table":
    """The rows; `between` parts a figure and its error."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    narrow = between != " "
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=narrow)
    table.add_column("position", overflow="fold", min_width=14)  # an id
    for heading in ("equity", *(heading for heading, _ in RATES), "trials"):
        table.add_column(heading, justify="right", no_wrap=not narrow)
    for result in results:
        cells = [f"{result.equity:+.4f}{between}±{result.equity_se:.4f}"]
        cells += [_rate(result, name, between) for _, name in RATES]
        trials = f"{result.trials:,}" + ("*" if result.marked else "")
        table.add_row(result.name or result.position_id, *cells, trials)
    return table


def _rate(result: "RolloutResult", name: str, between: str) -> str:
    """A rate with its error; nothing seen in n trials says only that it is small (rule of three)."""
    value, error = getattr(result, name), getattr(result, f"{name}_se")
    if value == 0.0:
        return f"< 3/{result.trials}"
    return f"{value:.4f}{between}±{error:.4f}"
