"""Progress on disk: what survives a crash, and that nothing is ever counted twice."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest

from bgsim.apps.rollout import run_rollout
from bgsim.core.errors import TableError
from bgsim.core.notation import parse
from bgsim.kernels.rollout import SUMS, VALUES
from bgsim.run import parts as parts_module
from bgsim.run.ledger import Ledger
from bgsim.run.local import LocalExecutor
from bgsim.run.parts import COMPACT_ABOVE, PartStore
from bgsim.run.plan import Plan, Root
from bgsim.run.runner import run_plan
from bgsim.run.tables import read_parquet

ROOTS = (Root(parse("start"), "start"), Root(parse("nackgammon"), "nack"))
PLAN = Plan(roots=ROOTS, policy="greedy", trials=60, seed=5)


@pytest.fixture(scope="module")
def segments():
    """The whole plan as finished segments of one record each, six trials a record."""
    kept = []

    class Keep(PartStore):
        def add(self, records):
            kept.extend(np.split(records, len(records)))

        def flush(self):
            pass

    with LocalExecutor(1) as executor:
        assert run_plan(PLAN, executor, Ledger(2), store=Keep(None, PLAN), batch=6)
    assert len(kept) == 20
    return sorted(kept, key=lambda records: (records["group"][0], records["first_trial"][0]))


def state(ledger):
    return [(totals.sums, totals.squares, totals.products, totals.finished) for totals in ledger.totals]


def loaded(folder, plan=PLAN):
    """A ledger of everything in a folder, and how many trials that are."""
    ledger = Ledger(len(plan.roots))
    return ledger, PartStore(folder, plan).load(ledger)


def whole(segments):
    ledger = Ledger(2)
    for records in segments:
        ledger.add(records)
    return ledger


def store_of(folder, segments):
    """A store with one part for each of these segments."""
    store = PartStore(folder, PLAN)
    for records in segments:
        store.add(records)
        store.flush()
    return store


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def keep_copies(folder, aside):
    shutil.copytree(folder, aside, dirs_exist_ok=True)


# --- what is written is what is read --------------------------------------------------------------


def test_parts_give_the_ledger_back(tmp_path, segments):
    store_of(tmp_path, segments)
    ledger, trials = loaded(tmp_path)
    assert trials == 120
    assert state(ledger) == state(whole(segments))
    assert names(tmp_path) == [f"part-{number:06d}.parquet" for number in range(20)]


def test_segments_wait_for_the_flush(tmp_path, segments, monkeypatch):
    monkeypatch.setattr(parts_module, "FLUSH_SECONDS", 1e9)
    store = PartStore(tmp_path, PLAN)
    store.add(segments[0])
    store.add(segments[1])
    assert names(tmp_path) == []
    assert not store.exists()
    store.flush()
    store.flush()  # nothing new: no empty part
    assert names(tmp_path) == ["part-000000.parquet"]
    assert store.exists()


def test_old_segments_are_flushed_without_being_asked(tmp_path, segments, monkeypatch):
    monkeypatch.setattr(parts_module, "FLUSH_SECONDS", 0.0)
    PartStore(tmp_path, PLAN).add(segments[0])
    assert names(tmp_path) == ["part-000000.parquet"]


def test_numbers_go_on_after_those_that_are_there(tmp_path, segments):
    store_of(tmp_path, segments[:3])
    (tmp_path / "part-000001.parquet").unlink()
    store = PartStore(tmp_path, PLAN)
    assert store.load(Ledger(2)) == 12
    store.add(segments[3])
    store.flush()
    assert names(tmp_path) == [f"part-{number:06d}.parquet" for number in (0, 2, 3)]


def test_sums_of_64_bits_survive(tmp_path, segments):
    """Extreme integers of a record: they are no real numbers on their way to the disk."""
    records = segments[0].copy()
    records["sums"][0, 0] = [2**63 - 1, -(2**63), 2**53 + 1, *[0] * (SUMS - 3)]
    records["products"][0, 0, 0] = [-(2**63), -1]
    store_of(tmp_path, [records])
    found = PartStore(tmp_path, PLAN)._read(tmp_path / "part-000000.parquet")[0]
    assert found.tobytes() == records.tobytes()


def test_groups_of_several_roots_keep_their_shape(tmp_path):
    from bgsim.engine.batch import record_type

    records = np.zeros(3, record_type(2))
    records["trials"] = 1
    records["first_trial"] = [0, 1, 2]
    records["sums"] = np.arange(3 * 2 * SUMS).reshape(3, 2, SUMS)
    records["squares"] = np.arange(3 * 2 * VALUES * 2).reshape(3, 2, VALUES, 2)
    records["products"] = np.arange(3 * 2 * 2 * 2).reshape(3, 2, 2, 2)
    store = PartStore(tmp_path, PLAN, 2)
    store.add(records)
    store.flush()
    ledger = Ledger(1, 2)
    assert PartStore(tmp_path, PLAN, 2).load(ledger) == 3
    assert ledger.totals[0].sums == records["sums"].sum(axis=0).tolist()
    squares = [[(high << 64) + low for high, low in row] for row in records["squares"].sum(axis=0).tolist()]
    assert ledger.totals[0].squares == squares


# --- joining --------------------------------------------------------------------------------------


def test_many_parts_are_joined(tmp_path, segments):
    assert COMPACT_ABOVE == 64
    store = PartStore(tmp_path, PLAN)
    ledger = Ledger(2)
    for trial in range(65):
        records = segments[0].copy()
        records["first_trial"], records["trials"] = trial, 1
        ledger.add(records)
        store.add(records)
        store.flush()
        assert len(names(tmp_path)) == (trial + 1 if trial < 64 else 1)
    assert names(tmp_path) == ["part-000065.parquet"]
    assert state(loaded(tmp_path)[0]) == state(ledger)
    replaced = json.loads(read_metadata_of(tmp_path / "part-000065.parquet")["replaces"])
    assert replaced == [f"part-{number:06d}.parquet" for number in range(65)]


def read_metadata_of(part):
    metadata = read_parquet(part).schema.metadata
    return {key.decode().removeprefix("bgsim."): value.decode() for key, value in metadata.items()}


@pytest.mark.parametrize("deleted", [0, 1, 4, 7])
def test_a_crash_while_joining_counts_nothing_twice(tmp_path, segments, monkeypatch, deleted):
    """The joined part is there, and only some of the old ones are gone."""
    monkeypatch.setattr(parts_module, "COMPACT_ABOVE", 7)
    folder, aside = tmp_path / "parts", tmp_path / "aside"
    store_of(folder, segments[:7])
    keep_copies(folder, aside)
    store = PartStore(folder, PLAN)
    store.load(Ledger(2))
    store.add(segments[7])
    store.flush()  # now eight: joined
    assert names(folder) == ["part-000008.parquet"]
    for old in sorted(aside.iterdir())[deleted:]:
        shutil.copy(old, folder)
    ledger, trials = loaded(folder)
    assert trials == 48
    assert state(ledger) == state(whole(segments[:8]))
    assert names(folder) == ["part-000008.parquet"]  # the rest of the crash is cleared away


def test_a_crash_before_the_joined_part_has_its_name(tmp_path, segments):
    store_of(tmp_path, segments[:3])
    (tmp_path / ".part-000003.parquet.0123abcd.partial").write_bytes(b"PAR1 and then the machine stopped")
    assert loaded(tmp_path)[1] == 18


def test_joined_parts_are_joined_again(tmp_path, segments, monkeypatch):
    monkeypatch.setattr(parts_module, "COMPACT_ABOVE", 3)
    folder, copies = tmp_path / "parts", tmp_path / "copies"
    store = PartStore(folder, PLAN)
    for records in segments:
        store.add(records)
        store.flush()
        keep_copies(folder, copies)
    assert len(names(folder)) <= 4
    assert state(loaded(folder)[0]) == state(whole(segments))
    # Every part that ever was is back, as after many crashes: the last joined one still rules.
    keep_copies(copies, folder)
    assert state(loaded(folder)[0]) == state(whole(segments))


def test_an_interrupt_after_writing_a_part_writes_no_second_one(tmp_path, segments, monkeypatch):
    """Ctrl-C between the renaming and the next line; the run's last flush follows."""
    store = PartStore(tmp_path, PLAN)
    store.add(segments[0])
    real = parts_module.write_parquet

    def interrupted(*arguments):
        real(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(parts_module, "write_parquet", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.flush()
    monkeypatch.undo()
    store.flush()
    assert loaded(tmp_path)[1] == 6


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data: data[:-1], id="one byte short"),
        pytest.param(lambda data: data[: len(data) // 2], id="cut in half"),
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data.replace(b'"trials":60', b'"trials":61', 1), id="plan changed"),
        pytest.param(lambda data: data.replace(b"first_trial", b"first_tryal"), id="column renamed"),
        pytest.param(lambda data: data.replace(b"bgsim.plan", b"bgsim.plam"), id="metadata renamed"),
    ],
)
def test_a_damaged_part_is_named_and_can_be_done_without(tmp_path, segments, change):
    store_of(tmp_path, segments[:3])
    path = tmp_path / "part-000001.parquet"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(TableError) as caught:
        loaded(tmp_path)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert "delete this part, and --resume plays its trials again" in sentence
    assert "\n" not in sentence
    path.unlink()
    ledger, trials = loaded(tmp_path)
    assert trials == 12
    assert [list(totals.missing(60)) for totals in ledger.totals] == [[(6, 12), (18, 60)], [(0, 60)]]


@pytest.mark.slow
def test_no_changed_byte_of_a_part_gives_other_sums(tmp_path, segments):
    """Every 7th byte in turn: refused by name, or read as it was written."""
    store_of(tmp_path, segments[:1])
    path, expected = tmp_path / "part-000000.parquet", state(whole(segments[:1]))
    data = path.read_bytes()
    refused = 0
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        try:
            assert state(loaded(tmp_path)[0]) == expected, f"byte {at} was changed unseen"
        except TableError:
            refused += 1
    assert refused > len(data) // 7 // 2


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (Plan(roots=ROOTS, policy="greedy", trials=61, seed=5), "trials is 60 there and 61 here"),
        (Plan(roots=ROOTS, policy="greedy", trials=60, seed=6), "seed is 5 there and 6 here"),
        (Plan(roots=ROOTS, trials=60, seed=5, policy="random"), "policy is 'greedy' there and 'random' here"),
        (
            Plan(roots=ROOTS, policy="greedy", trials=60, seed=5, stratified=True),
            "stratified is False there and True here",
        ),
        (Plan(roots=ROOTS[:1], policy="greedy", trials=60, seed=5), "it has 2 positions, not 1"),
        (
            Plan(roots=ROOTS[::-1], policy="greedy", trials=60, seed=5),
            "position 1 differs in name, rules, xgid",
        ),
    ],
)
def test_parts_of_another_plan_are_refused_saying_what_differs(tmp_path, segments, other, says):
    store_of(tmp_path, segments[:1])
    with pytest.raises(TableError) as caught:
        loaded(tmp_path, other)
    sentence = str(caught.value)
    assert says in sentence
    assert "part-000000.parquet belongs to another plan" in sentence
    assert "choose another --out" in sentence


def test_a_part_with_trials_that_another_has_is_refused(tmp_path, segments):
    store_of(tmp_path, segments[:2])
    shutil.copy(tmp_path / "part-000000.parquet", tmp_path / "part-000007.parquet")
    with pytest.raises(TableError) as caught:
        loaded(tmp_path)
    path = tmp_path / "part-000007.parquet"
    assert str(caught.value) == (
        f"{path} is doubled: trials 0 to 5 were counted twice; "
        "delete this part, and --resume plays its trials again"
    )
    path.unlink()
    assert loaded(tmp_path)[1] == 12


@pytest.mark.parametrize(
    "stray",
    ["part-000001 (copy).parquet", "part-x.parquet", "notes.txt", ".part-000009.parquet.ab.partial", "part-"],
)
def test_other_files_beside_the_parts_are_left_alone(tmp_path, segments, stray):
    store_of(tmp_path, segments[:1])
    (tmp_path / stray).write_text("something else")
    assert loaded(tmp_path)[1] == 6
    assert (tmp_path / stray).exists()


# --- a run and its parts ---------------------------------------------------------------------------


def test_finished_parts_without_a_table_only_need_the_table(tmp_path, segments):
    """A crash just before the table was written."""
    store_of(tmp_path / "x.parquet.parts", segments)
    run = run_rollout(PLAN, out=tmp_path / "x.parquet", resume=True)
    assert (run.finished, run.trials_played) == (True, 0)
    assert names(tmp_path) == ["x.parquet"]


# --- two runs at once -----------------------------------------------------------------------------


def test_two_runs_may_not_write_one_table(tmp_path, segments):
    """The second is told whose it is; once the first lets go, it may."""
    first, second = PartStore(tmp_path / "parts", PLAN), PartStore(tmp_path / "parts", PLAN)
    first.lock()
    with pytest.raises(
        TableError, match=f"process {os.getpid()} is at work on .*parts: wait for it, or choose"
    ):
        second.lock()
    first.add(segments[0])
    first.flush()
    first.release()
    second.lock()
    second.release()
    assert loaded(tmp_path / "parts")[1] == 6


def test_a_place_where_the_lock_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(TableError, match="cannot write"):
        PartStore(tmp_path / "file" / "parts", PLAN).lock()
