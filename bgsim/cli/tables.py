"""Tables as a reader of equities likes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bgsim.apps.rollout import RolloutResult

VIEWS = {"on_roll": "the player on roll", "bottom": "the bottom player of the XGID"}
RATES = (
    ("win", "win"),
    ("win g", "win_gammon"),
    ("win bg", "win_backgammon"),
    ("lose g", "lose_gammon"),
    ("lose bg", "lose_backgammon"),
)


def print_results(results: Sequence["RolloutResult"], point_of_view: str) -> None:
    """One line a position: equity and rates, each with its standard error."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    if not results:
        return
    # Names are the user's: [brackets] and :colons: in them mean nothing.
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=160)  # a pipe has no width to fit
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("position", overflow="fold")
    for heading in ("equity", *(heading for heading, _ in RATES), "trials"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        cells = [f"{result.equity:+.4f} ±{result.equity_se:.4f}"]
        cells += [_rate(result, name) for _, name in RATES]
        trials = f"{result.trials:,}" + ("*" if result.marked else "")
        table.add_row(result.name or result.position_id, *cells, trials)
    console.print(table)
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


def _rate(result: "RolloutResult", name: str) -> str:
    """A rate with its error; nothing seen in n trials says only that it is small (rule of three)."""
    value, error = getattr(result, name), getattr(result, f"{name}_se")
    if value == 0.0:
        return f"< 3/{result.trials}"
    return f"{value:.4f} ±{error:.4f}"
