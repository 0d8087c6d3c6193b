"""The generator: the same rows for the same seed, damage where it says, all else as the service writes it."""

import pytest

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.entities.request import LEGAL_EDGES
from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.fixtures_io.generator import DEFAULT_START_MS, LATEST_MS, SyntheticQueue, plantable
from stovepipe_cli.fixtures_io.scenario_reader import read_scenario
from stovepipe_cli.fixtures_io.synthetic_damage import NAMED, PLANTERS
from stovepipe_cli.history.context import context_problems, identity_problems
from stovepipe_cli.storage.contract.mapping import log_from
from stovepipe_cli.storage.contract.rows import (
    QueueRow,
    RequestLogRow,
    RequestRow,
    RequestSummaryRow,
    RequestURIRow,
    Row,
    key_of,
)
from stovepipe_cli.storage.memory import MemoryFactory

QUEUE = "demo/big"


def rows_of(queue: SyntheticQueue, size: int = 7) -> list[Row]:
    return [row for batch in queue.batches(size) for row in batch]


def test_the_same_seed_gives_the_same_rows_in_batches_of_any_size() -> None:
    queue = SyntheticQueue(QUEUE, 50, seed=3, damage={"H101": 2, "A401": 3})
    assert rows_of(queue, 7) == rows_of(queue, 50) == rows_of(queue, 1000)


def test_another_seed_gives_other_rows() -> None:
    assert rows_of(SyntheticQueue(QUEUE, 20, seed=1)) != rows_of(SyntheticQueue(QUEUE, 20, seed=2))


def test_an_undamaged_request_has_six_entries_and_one_row_of_each_other_kind() -> None:
    rows = rows_of(SyntheticQueue(QUEUE, 10, seed=1))
    assert sum(isinstance(row, RequestLogRow) for row in rows) == 60
    assert len(rows) == 10 * 12 + 1


def test_every_batch_can_be_inserted_beside_the_ones_before() -> None:
    storage = MemoryFactory().for_queue(QUEUE)
    for batch in SyntheticQueue(QUEUE, 80, seed=5, damage=dict.fromkeys(PLANTERS, 1)).batches(9):
        storage.bulk.insert(batch)
    assert storage.queues.get().latest_request_id == "80"


def test_entries_are_those_that_a_scenario_of_the_same_request_has() -> None:
    rows = rows_of(SyntheticQueue(QUEUE, 1, seed=9))
    request = next(row for row in rows if isinstance(row, RequestRow))
    accepted_at = next(row.timestamp_ms for row in rows if isinstance(row, RequestLogRow))
    outcome = f"outcome: {request.state}, accepted_at: {accepted_at}, uri: {request.uri}"
    text = f"format: 1\nqueue: {QUEUE}\nlifecycles: [{{number: 1, {outcome}}}]\n"
    scenario = read_scenario(text.encode(), "s.yaml")
    assert [row for row in rows if not isinstance(row, QueueRow)] == [
        row for row in scenario.rows if not isinstance(row, QueueRow)
    ]


def test_entries_are_whole_and_their_ids_are_their_identities() -> None:
    for row in rows_of(SyntheticQueue('demo/"quoted"', 30, seed=2)):
        if isinstance(row, RequestLogRow):
            entry = log_from(QUEUE, row)
            assert (context_problems(entry), identity_problems(entry), entry.malformed_metadata) == ((), (), "")


def test_damage_is_planted_as_often_as_asked_in_requests_of_its_own() -> None:
    damage = dict.fromkeys((code for code in PLANTERS if code not in NAMED), 3)
    planted = SyntheticQueue(QUEUE, 200, seed=4, damage=damage).planted()
    codes = [finding.code for finding in planted]
    assert {code: codes.count(code) for code in codes} == damage
    assert len({finding.request_id for finding in planted}) == len(planted)


def test_what_concerns_no_request_is_planted_without_one() -> None:
    planted = SyntheticQueue(QUEUE, 9, seed=4, damage={"I701": 2, "Q604": 1, "Q606": 1}).planted()
    assert sorted((each.code, each.request_id) for each in planted) == [
        ("I701", None),
        ("I701", None),
        ("Q604", None),
        ("Q606", None),
    ]


def test_every_rule_can_be_planted_but_those_that_need_another_queue_or_an_earlier_verify() -> None:
    assert set(RULES) - set(plantable()) == {"H114", "H118"}


def test_as_many_requests_as_there_is_room_for_can_be_damaged() -> None:
    planted = SyntheticQueue(QUEUE, 12, seed=1, damage={"A401": 10}).planted()
    assert [finding.request_id for finding in planted] == [str(number) for number in range(2, 12)]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"H999": 1}, "damage 'H999' cannot be planted"),
        ({"H101": -1}, "damage 'H101' is asked for -1 times"),
        ({"H101": 6, "H102": 5}, "11 damaged requests do not fit into 12"),
        ({"Q604": 2}, "damage 'Q604' is asked for 2 times"),
        ({"Q601": 1, "Q604": 1}, "damage 'Q601' leaves no row for what else is planted in it"),
    ],
)
def test_damage_that_cannot_be_planted_is_refused(damage: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        SyntheticQueue(QUEUE, 12, seed=1, damage=damage)
    assert caught.value.message == message


def test_only_planted_requests_differ_from_the_undamaged_queue() -> None:
    damaged = SyntheticQueue(QUEUE, 40, seed=6, damage={"U501": 3, "E202": 2})
    whole = {(type(row), key_of(row)): row for row in rows_of(SyntheticQueue(QUEUE, 40, seed=6))}
    kept = {(type(row), key_of(row)): row for row in rows_of(damaged)}
    touched = {finding.request_id for finding in damaged.planted()}
    gone = [row for place, row in whole.items() if place not in kept]
    assert {row.request_id for row in gone if isinstance(row, RequestURIRow | RequestLogRow)} == touched
    assert len(gone) == 5


def test_summaries_agree_with_the_newest_state_entry() -> None:
    rows = rows_of(SyntheticQueue(QUEUE, 20, seed=8))
    newest = {
        row.request_id: (row.state, row.timestamp_ms)
        for row in rows
        if isinstance(row, RequestLogRow) and row.request_version == 3
    }
    summaries = {
        row.request_id: (row.state, row.state_timestamp_ms) for row in rows if isinstance(row, RequestSummaryRow)
    }
    assert newest == summaries
    assert {("processing", state) for state, _ in newest.values()} <= LEGAL_EDGES


@pytest.mark.parametrize("requests", [1_000, 300_000, 1_000_000, 10_000_000])
def test_however_many_requests_there_are_none_lies_in_the_future(requests: int) -> None:
    queue = SyntheticQueue(QUEUE, requests, seed=1)
    assert 0 < queue.first_ms <= DEFAULT_START_MS
    assert queue.first_ms + requests * queue.every_ms <= LATEST_MS
