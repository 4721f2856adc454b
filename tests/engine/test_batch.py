"""The unit of work: what a record holds, and what a stop leaves."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bgsim.engine.batch import MAX_BATCH_TRIALS, BatchTask, record_type, run_batch
from bgsim.kernels.rollout import SUMS, VALUES
from tests.kernels.kernel_runs import records, roots, settings
from tests.kernels.replay import Start
from tests.oracle import START

BEGIN = Start(START, stream=21)


def raised():
    return np.ones(1, np.uint8)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_record_holds_integers_only(size):
    fields = record_type(size)
    assert fields.names == ("group", "first_trial", "trials", "sums", "squares", "products")
    assert {fields[name].base for name in fields.names} == {np.dtype(np.int64)}
    assert fields["sums"].shape == (size, SUMS)
    assert fields["squares"].shape == (size, VALUES, 2)
    assert fields["products"].shape == (size, size, 2)


def test_record_names_its_segment():
    rows = np.array([(0, 5, 3), (1, 0, 2), (0, 100, 1)], np.int64)
    task = BatchTask(
        settings(), ("random", "random"), roots(BEGIN, BEGIN), 1, rows, np.array([40, 7, 40], np.int64)
    )
    result = run_batch(task)
    found = result.records
    assert found["group"].tolist() == [40, 7, 40]
    assert found["first_trial"].tolist() == [5, 0, 100]
    assert found["trials"].tolist() == [3, 2, 1]
    assert result.seconds > 0


def test_a_task_of_no_segments_has_no_records():
    task = BatchTask(
        settings(), ("random", "random"), roots(BEGIN), 1, np.zeros((0, 3), np.int64), np.zeros(0, np.int64)
    )
    assert len(run_batch(task).records) == 0


def test_a_flag_raised_before_leaves_nothing():
    assert len(records(settings(), roots(BEGIN), [(0, 0, 10), (0, 10, 10)], stop=raised())) == 0


def test_a_stop_is_seen_within_the_kernel_and_keeps_whole_trials():
    """A task of 524,288 trials is stopped by another thread; what is left is a record of fewer trials.

    The segment after it is never begun, and the sums are those of just the finished trials.
    """
    flag, found = np.zeros(1, np.uint8), []

    def work():
        segments = [(0, 0, MAX_BATCH_TRIALS), (0, MAX_BATCH_TRIALS, 5)]
        found.extend(records(settings(), roots(BEGIN), segments, stop=flag))

    records(settings(), roots(BEGIN), [(0, 0, 1)])  # compiled before the clock starts
    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.1)
    flag[0] = 1
    thread.join(timeout=20)
    assert not thread.is_alive()
    (record,) = found
    done = int(record["trials"])
    assert 0 < done < MAX_BATCH_TRIALS
    assert record["sums"][0, :7].sum() == done
    (expected,) = records(settings(), roots(BEGIN), [(0, 0, done)])
    assert record.tobytes() == expected.tobytes()


def test_threads_do_not_share_their_scratch():
    """Eight tasks on four threads at once, each as it is alone."""
    tasks = [[(0, 50 * number, 50)] for number in range(8)]

    def play(segments):
        return records(settings("greedy"), roots(BEGIN), segments).tobytes()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(play, tasks)) == [play(segments) for segments in tasks]


def test_group_sizes_do_not_share_their_scratch():
    one = records(settings(), roots(BEGIN, BEGIN), [(0, 0, 20)], group_size=2)
    alone = records(settings(), roots(BEGIN), [(0, 0, 20)])
    again = records(settings(), roots(BEGIN, BEGIN), [(0, 0, 20)], group_size=2)
    assert one.tobytes() == again.tobytes()
    assert one["sums"][0, 0].tolist() == one["sums"][0, 1].tolist() == alone["sums"][0, 0].tolist()
