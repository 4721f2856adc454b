"""CPU time, user and system: on a shared machine the wall clock measures the neighbours too."""

import resource
import time

__all__ = ["children_cpu_seconds", "cpu_seconds"]

cpu_seconds = time.process_time  # of this process, all its threads


def children_cpu_seconds() -> float:
    """CPU seconds of all child processes that have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
