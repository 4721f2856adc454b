"""Numbers that must come out the same however the kernels are compiled; printed by `python -m`.

`python -m tests.kernels.build_numbers` prints them as JSON: a test runs it with other compiler switches.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from bgsim.core.position import Position
from bgsim.engine.boards import pack
from bgsim.engine.plays import count_boards, count_results
from tests import oracle
from tests.cases import as_position, corpus
from tests.kernels.kernel_runs import records, roots, settings
from tests.kernels.replay import Start
from tests.oracle import BAR, START, side

STARTS = (
    Start(START, stream=41, opening=True),
    Start(START, stream=42, roll=(6, 1)),
    Start((oracle.NACKGAMMON_SIDE, oracle.START_SIDE), stream=43),
    Start((side({BAR: 15}), side({BAR: 15})), stream=44),
    Start((oracle.HYPERGAMMON_SIDE, oracle.HYPERGAMMON_SIDE), stream=45),
    Start((side({2: 8, 3: 7}), side({24: 1, 6: 14})), stream=46),
)
POLICY_PAIRS = (("random", "random"), ("greedy", "greedy"), ("greedy", "random"))


def sums(trials: int) -> str:
    """The bytes of the records of every start, policy and kind of dice, in hexadecimal."""
    segments = [(n, 2**33 * n, trials) for n in range(len(STARTS))]
    return "".join(
        records(settings(*pair, seed=99, stratified=stratified), roots(*STARTS), segments).tobytes().hex()
        for pair in POLICY_PAIRS
        for stratified in (False, True)
    )


def counts() -> dict[str, int]:
    """Distinct results of the corpus over the 21 rolls, and those of the largest known list."""
    found = {kind: count_boards(pack([as_position(b) for b in boards])) for kind, boards in corpus().items()}
    found["L05"] = count_results(Position.from_gnubg_id("AACAkCRJqqoAAA"), (1, 1))
    return found


def numbers(trials: int) -> dict[str, Any]:
    """All of them."""
    return {"counts": counts(), "sums": sums(trials)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(numbers(int(sys.argv[1]))))
