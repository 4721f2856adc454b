"""Numbers that must come out the same however the kernels are compiled; printed by `python -m`.

`python -m tests.kernels.build_numbers` prints them as JSON: a test runs it with other compiler switches.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from bgsim.core.position import Position
from bgsim.engine.boards import pack
from bgsim.engine.plays import count_boards, count_results, result_boards
from bgsim.engine.policies import OUTCOME_VALUES, net_player, players_of
from bgsim.kernels.policy import score_results
from tests import oracle
from tests.cases import as_position, corpus
from tests.kernels.kernel_runs import records, roots, settings
from tests.kernels.plain_nets import evaluator_of, random_net
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
NET_WIDTHS = ((128,), (128, 64, 32))


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


def scores() -> list[int]:
    """Scores of every result of the 21 rolls of some corpus positions by random nets."""
    rng = np.random.default_rng(17)
    evaluators = [evaluator_of(*(random_net(rng, widths) for _ in range(2))) for widths in NET_WIDTHS]
    player, found = net_player(0), []
    for board in (board for boards in corpus().values() for board in boards[:5]):
        before = pack([as_position(board)])[0]
        for evaluator in evaluators:
            for roll in oracle.ALL_ROLLS:
                results = result_boards(before, roll)
                row = np.zeros(len(results), np.int64)
                score_results(player, before, results, len(results), OUTCOME_VALUES, evaluator, row)
                found += row.tolist()
    return found


def net_games() -> str:
    """The bytes of the records of two games of nets, one of them with a roll of look-ahead."""
    pair = players_of("net", "net-1ply")
    played = settings(seed=98)._replace(player=pair.players[0], opponent=pair.players[1], max_plies=12)
    segments = [(0, 0, 1), (5, 0, 1)]
    return str(records(played, roots(*STARTS), segments, policies=("net", "net-1ply")).tobytes().hex())


def numbers(trials: int) -> dict[str, Any]:
    """All of them."""
    return {"counts": counts(), "sums": sums(trials), "scores": scores(), "net games": net_games()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(numbers(int(sys.argv[1]))))
