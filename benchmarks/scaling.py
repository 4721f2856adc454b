"""How well two workers share one job: `python -m benchmarks.scaling [--seconds S] [--pairs N]`.

Wall time of the run itself (starting Ray and loading kernels excluded), one worker and two in turn, the ratio
pair by pair, their median. Needs two idle cores: the load average before each executor is printed.
"""

import argparse
import os
from statistics import median

import bgsim
from bgsim.apps.rollout import run_rollout
from bgsim.run.plan import Plan, Root


def seconds_of(executor: str, workers: int, trials: int) -> float:
    """Wall seconds of one run."""
    plan = Plan(roots=(Root(bgsim.parse("start")),), policy="greedy", trials=trials, seed=1)
    run = run_rollout(plan, executor=executor, workers=workers)
    assert run.finished
    assert run.results[0].trials == trials
    return run.seconds


def main() -> None:
    """Measure both executors and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="length of a one-worker run")
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    probe = 100_000
    trials = int(probe * options.seconds / seconds_of("local", 1, probe))
    for executor in ("local", "ray"):
        print(f"{executor}: {trials:,} trials, load average {os.getloadavg()[0]:.2f}", flush=True)
        ratios = []
        for _ in range(options.pairs):
            one, two = (seconds_of(executor, workers, trials) for workers in (1, 2))
            ratios.append(one / two)
            print(f"  one worker {one:.1f} s, two {two:.1f} s, ratio {ratios[-1]:.3f}", flush=True)
        print(f"  median ratio {median(ratios):.3f}", flush=True)


if __name__ == "__main__":
    main()
