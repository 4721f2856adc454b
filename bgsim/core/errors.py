"""The mistakes that bgsim tells a user about, each as one sentence."""

from collections.abc import Iterable

__all__ = [
    "BgsimError",
    "ExecutorError",
    "MatchEquityError",
    "MatchFileError",
    "PlanError",
    "PolicyError",
    "PositionError",
    "RollError",
    "RulesError",
    "TableError",
    "did_you_mean",
]


class BgsimError(Exception):
    """Something that the user can mend; the command line prints it as one line and exits with 1."""


class PositionError(BgsimError):
    """A position, id or game state that cannot be; carries every fault found, not only the first.

    >>> error = PositionError("16 checkers for the opponent", "both sides are on point 6")
    >>> error.faults
    ('16 checkers for the opponent', 'both sides are on point 6')
    >>> print(error)
    16 checkers for the opponent; both sides are on point 6
    """

    # The faults are the exception's args, so that it survives pickling between processes.
    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)

    @property
    def faults(self) -> tuple[str, ...]:
        """Every fault found, in the order in which the input was read."""
        return tuple(str(fault) for fault in self.args)

    def __str__(self) -> str:
        return "; ".join(self.faults)


class RulesError(BgsimError):
    """Rules that are unknown, contradict each other or cannot be played yet."""


class PlanError(BgsimError):
    """A plan that cannot be carried out."""


class TableError(BgsimError):
    """A table or file that cannot be read, written or continued."""


class MatchFileError(BgsimError):
    """A match file that cannot be read; the message names the line and what stands there."""


class MatchEquityError(BgsimError):
    """A match equity table that cannot be used, or a score that it has no value for."""


class ExecutorError(BgsimError):
    """An executor that cannot be had or reached."""


class PolicyError(BgsimError):
    """A policy that is unknown or whose weights cannot be used."""


class RollError(BgsimError):
    """A roll that is not two dice from 1 to 6."""


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """Return " (did you mean 'x'?)" for the allowed word nearest to word, or "".

    >>> did_you_mean("mony", ["money", "cubeless"])
    " (did you mean 'money'?)"
    >>> did_you_mean("zzz", ["money", "cubeless"])
    ''
    """
    import difflib  # only on the way to an error message

    near = difflib.get_close_matches(word.lower(), list(allowed), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
