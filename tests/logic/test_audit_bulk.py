"""What is told of a whole queue in bulk is what the rules tell of each request by key."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from stovepipe_cli.fixtures_io.generator import SyntheticQueue, plantable
from stovepipe_cli.reports import VerifyReport
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import QueueRow, RequestLogRow, RequestSummaryRow, Row, key_of
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.audits import check
from tests.support.lifecycles import LONG_AFTER_MS
from tests.support.watched_storage import watched

QUEUE = "bulk/main"
REQUESTS = 40

ODD_TEXTS: Sequence[str] = (
    *("", "x", "3", "state/3", "event/build_finished/b-7", "succeeded", "failed", "superseded", "accepted", "7"),
    *("build_failed", "build_succeeded", "b-7", "state/1\x1fx", "\x1e", "git://u:p@h/x", 'a"b', "é"),
)
ODD_METADATA: Sequence[str] = (
    *("{}", "null", "[]", "3", '{"build_id": "b-7"}', '{"fact_degree":"0.5"}', '{"fact_degree": "1"}'),
    *('{"base_uri":"","build_id":"b-7","more":"x"}', '{"base_uri":"git://u:p@h/x"}', '{"build_id":"\\u001e"}'),
)


def rows_of(queue: SyntheticQueue) -> list[Row]:
    return [row for batch in queue.batches() for row in batch]


def storage_of(rows: Sequence[Row]) -> Storage:
    storage = MemoryFactory(clock=lambda: LONG_AFTER_MS).for_queue(QUEUE)
    storage.bulk.insert(rows)
    return storage


def by_key(storage: Storage) -> Storage:
    """The same queue, whose requests and histories seem to be sorted differently, so that nothing is done in bulk."""
    apart, watch = watched(storage)
    watch.collations = {"request": "utf8mb4_bin", "request_log": "utf8mb4_general_ci"}
    return apart


def told(report: VerifyReport) -> list[tuple[object, ...]]:
    return [(each.id, each.code, each.expected, each.found, each.message, each.repair) for each in report.findings]


def damaged(rows: list[Row], chance: random.Random, times: int) -> list[Row]:
    """Some rows gone, some with a value of another row or an odd one in a column."""
    found: list[Any] = list(rows)
    for _ in range(times):
        place = chance.randrange(len(found))
        row = found[place]
        if isinstance(row, QueueRow):
            continue
        if chance.random() < 0.3:
            del found[place]
            continue
        name = chance.choice(row._fields)
        others = [getattr(each, name) for each in found if type(each) is type(row)]
        value = chance.choice(others)
        if isinstance(value, str) and chance.random() < 0.5:
            value = chance.choice(ODD_METADATA if name == "metadata" else ODD_TEXTS)
        elif isinstance(value, int) and chance.random() < 0.5:
            value = chance.choice((0, 1, 2, 3, 4, value + 1))
        found[place] = row._replace(**{name: value})
    return list({(type(row), key_of(row)): row for row in found}.values())


@pytest.mark.parametrize("seed", range(60))
def test_any_damage_is_found_as_it_is_by_key(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - damage by a seed, and no secret
    storage = storage_of(damaged(rows_of(SyntheticQueue(QUEUE, REQUESTS, seed=seed)), chance, chance.choice((1, 3, 9))))
    assert told(check(storage, settle_ms=1)) == told(check(by_key(storage), settle_ms=1))


def test_planted_damage_of_every_kind_is_found_as_it_is_by_key() -> None:
    damage = {code: 1 for code in plantable() if code != "Q601"}
    queue = SyntheticQueue(QUEUE, 120, seed=3, damage=damage)
    storage = storage_of(rows_of(queue))
    report = check(storage, settle_ms=1)
    assert told(report) == told(check(by_key(storage), settle_ms=1))
    assert sorted(each.code for each in report.findings) == sorted(each.code for each in queue.planted())


def test_what_is_healthy_is_read_once_and_never_by_key() -> None:
    storage, watch = watched(storage_of(rows_of(SyntheticQueue(QUEUE, REQUESTS, seed=1))))
    assert check(storage, settle_ms=1).verdict == "clean"
    assert sum(rows for table, rows in watch.pages if table == "build") == REQUESTS
    # What the queue's own row names is looked up, and nothing else.
    assert sum(rows for _, rows in watch.gets) <= 2


@pytest.mark.parametrize(
    "spelled",
    [
        lambda text: text.replace('":"', '": "').replace('","', '", "'),
        lambda text: "null" if text == "{}" else text,
        lambda text: text.replace('"base_uri":"",', ""),
    ],
    ids=["with spaces", "null for nothing", "without a baseline"],
)
def test_other_forms_of_the_usual_metadata_need_no_closer_look(spelled: Callable[[str], str]) -> None:
    rows = [
        row._replace(metadata=spelled(row.metadata)) if isinstance(row, RequestLogRow) else row
        for row in rows_of(SyntheticQueue(QUEUE, REQUESTS, seed=2))
    ]
    storage, watch = watched(storage_of(rows))
    assert check(storage, settle_ms=1).verdict == "clean"
    assert "request_log" not in {table for table, _ in watch.gets}


def test_a_summary_of_before_the_later_columns_is_no_damage_in_bulk_either() -> None:
    rows = [
        row._replace(outcome_reason="") if isinstance(row, RequestSummaryRow) else row
        for row in rows_of(SyntheticQueue(QUEUE, REQUESTS, seed=2))
    ]
    assert check(storage_of(rows), settle_ms=1).verdict == "clean"


def test_requests_of_both_forms_of_ids_are_counted_alike() -> None:
    storage = storage_of(rows_of(SyntheticQueue(QUEUE, REQUESTS, seed=5, damage={"Q606": 1}, ids="path")))
    assert told(check(storage, settle_ms=1)) == told(check(by_key(storage), settle_ms=1))
    assert [each.code for each in check(storage, settle_ms=1).findings] == ["Q606"]
