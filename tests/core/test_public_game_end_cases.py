"""The public cases about the end of a game, each named by its id (S11 is a match file)."""

import pytest

from bgsim.core.errors import BgsimError
from bgsim.core.outcome import (
    Outcome,
    cubeless_equity,
    cumulative,
    exclusive,
    finished_outcome,
    resignation_level,
)
from bgsim.core.position import Position

ALL_OFF = {0: 15}
S06_RATES = (0.6, 0.2, 0.05, 0.1, 0.02)


def lost_by(points: dict[int, int], checkers: int = 15) -> Outcome:
    """Return the outcome of a game that the player on roll has won against this side."""
    return finished_outcome(Position.from_points({}, points, checkers=checkers))


def test_S01_checkers_off_save_the_gammon() -> None:
    outcome = lost_by({6: 8, 20: 2, 0: 5})
    assert (outcome, outcome.points) == (Outcome.WIN, 1)


def test_S03_bar_is_no_backgammon_once_a_checker_is_off() -> None:
    outcome = lost_by({25: 1, 6: 13, 0: 1})
    assert (outcome, 2 * outcome.points) == (Outcome.WIN, 2)


def test_S06_cumulative_rates_are_not_exclusive() -> None:
    shares = exclusive(*S06_RATES)
    assert shares == pytest.approx((0.40, 0.15, 0.05, 0.30, 0.08, 0.02), abs=1e-15)
    assert sum(shares) == pytest.approx(1, abs=1e-15)
    assert cubeless_equity(*S06_RATES) == pytest.approx(0.33, abs=1e-15)
    assert cumulative(*shares) == pytest.approx(S06_RATES, abs=1e-15)


@pytest.mark.parametrize(
    ("points", "cube", "level"),
    [(3, 2, 2), (2, 2, 1), (9, 4, 3), (1, 1, 1), (3, 1, 3), (12, 4, 3), (1, 64, 1)],
)
def test_S09_resigned_points_round_up(points: int, cube: int, level: int) -> None:
    assert resignation_level(points, cube) == level


@pytest.mark.parametrize(("points", "cube"), [(0, 1), (-1, 2), (7, 2), (4, 1)])
def test_S09_level_must_lie_in_1_to_3(points: int, cube: int) -> None:
    with pytest.raises(BgsimError, match=f"1 to {3 * cube} points are allowed"):
        resignation_level(points, cube)


def test_S12_hypergammon_ends_with_three_checkers_off() -> None:
    single = Position.from_points({0: 3}, {18: 1, 0: 2}, checkers=3)
    assert single.is_over
    assert finished_outcome(single) is Outcome.WIN
    backgammon = Position.from_points({0: 3}, {19: 1, 2: 2}, checkers=3)
    assert backgammon.is_over
    assert finished_outcome(backgammon) is Outcome.WIN_BACKGAMMON
    assert finished_outcome(backgammon).points == 3
