"""How games end beyond the public cases, and the arithmetic of rates."""

import pytest

from bgsim.core.errors import BgsimError, PositionError
from bgsim.core.outcome import OUTCOME_POINTS, Outcome, cumulative, finished_outcome
from bgsim.core.position import Position


@pytest.mark.parametrize(
    ("loser", "outcome"),
    [
        ({1: 14, 0: 1}, Outcome.WIN),
        ({24: 14, 0: 1}, Outcome.WIN),
        ({1: 15}, Outcome.WIN_GAMMON),
        ({18: 15}, Outcome.WIN_GAMMON),  # the winner's bar point is outside his home
        ({19: 1, 6: 14}, Outcome.WIN_BACKGAMMON),
        ({24: 1, 6: 14}, Outcome.WIN_BACKGAMMON),
        ({25: 1, 6: 14}, Outcome.WIN_BACKGAMMON),
    ],
)
def test_outcome_is_seen_from_the_player_on_roll(loser: dict[int, int], outcome: Outcome) -> None:
    won = Position.from_points({}, loser)
    assert finished_outcome(won) is outcome
    assert finished_outcome(won.swapped()) is outcome.swapped()
    assert finished_outcome(won.swapped()).points == -outcome.points


def test_unfinished_game_has_no_outcome() -> None:
    with pytest.raises(PositionError, match="not over"):
        finished_outcome(Position.from_points({1: 1}, {1: 1}))


def test_points_stand_in_the_order_of_the_outcomes() -> None:
    assert OUTCOME_POINTS == (1, 2, 3, -1, -2, -3)
    assert [outcome.points for outcome in Outcome] == list(OUTCOME_POINTS)
    assert [outcome.swapped().swapped() for outcome in Outcome] == list(Outcome)


def test_counts_without_games_have_no_rates() -> None:
    with pytest.raises(BgsimError, match="at least one game"):
        cumulative(0, 0, 0, 0, 0, 0)
