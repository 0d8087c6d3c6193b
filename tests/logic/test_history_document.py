"""An earlier answer is read strictly: all of it, or nothing and one sentence."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.history.arrangement import keep_last, reverse
from stovepipe_cli.history.document import read_document
from stovepipe_cli.history.viewer import view_history
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.reports import HistoryReport
from stovepipe_cli.storage.contract.mapping import log_row, request_row
from stovepipe_cli.storage.open import open_storage
from tests.support.history_samples import QUEUE, REQUEST_ID, succeeded_request, whole_history
from tests.support.report_samples import shown

CONTEXT = RenderContext("history show", queue=QUEUE, output="json")


@pytest.fixture(scope="module")
def report() -> HistoryReport:
    """A history that lacks two entries."""
    with open_storage("memory://") as factory:
        storage = factory.for_queue(QUEUE)
        kept = [entry for entry in whole_history() if entry.event != "build_triggered" and entry.state != "accepted"]
        storage.bulk.insert([request_row(succeeded_request()), *map(log_row, kept)])
        return view_history(storage, REQUEST_ID)


def raw(report: HistoryReport) -> bytes:
    return shown(report, CONTEXT).encode()


def as_told(report: HistoryReport) -> HistoryReport:
    """The report as far as its document tells of it."""
    gaps = tuple(replace(gap, is_mendable=False) for gap in report.gaps)
    return replace(report, gaps=gaps, is_legacy=False, remarks_total=None)


def test_the_history_is_the_one_that_was_written(report: HistoryReport) -> None:
    stored = read_document(raw(report), "f")
    assert (stored.queue, stored.report) == (QUEUE, as_told(report))


@pytest.mark.parametrize("arrange", [reverse, lambda report: keep_last(report, 2)], ids=["reversed", "its tail"])
def test_an_arranged_answer_is_read_in_order(
    arrange: Callable[[HistoryReport], HistoryReport], report: HistoryReport
) -> None:
    arranged = arrange(report)
    stored = read_document(raw(arranged), "f").report
    assert list(stored.entries) == sorted(arranged.entries, key=lambda entry: entry.timestamp_ms)
    assert (stored.total, stored.earlier) == (report.total, arranged.earlier)
    assert {gap.log_id for gap in stored.gaps} == {gap.log_id for gap in report.gaps}


def test_an_answer_of_a_version_without_marks_and_counts_is_read(report: HistoryReport) -> None:
    document = json.loads(raw(report))
    del document["data"]["marks"], document["data"]["entries_total"]
    stored = read_document(json.dumps(document).encode(), "f").report
    assert (stored.total, stored.entries) == (len(report.entries), report.entries)


def changed(report: HistoryReport, change: Callable[[dict[str, Any]], object]) -> bytes:
    document = json.loads(raw(report))
    change(document)
    return json.dumps(document).encode()


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "another schema": lambda it: it.update(schema="stovepipe/v2"),
    "another command": lambda it: it.update(command="verify"),
    "no data": lambda it: it.update(data=None),
    "a list for data": lambda it: it.update(data=[]),
    "an unknown field around it": lambda it: it.update(more=1),
    "an unknown field": lambda it: it["data"].update(more=1),
    "a field that is gone": lambda it: it["data"].pop("gaps"),
    "an unknown field of an entry": lambda it: it["data"]["entries"][0].update(more=1),
    "a number for an id": lambda it: it["data"]["entries"][0].update(log_id=7),
    "true for a number": lambda it: it["data"]["entries"][0].update(request_version=True),
    "a fraction for a time": lambda it: it["data"]["entries"][0].update(timestamp_ms=1.5),
    "two times": lambda it: it["data"]["entries"][0].update(time="2001-01-01T00:00:00.000Z"),
    "an entry twice": lambda it: it["data"]["entries"].append(it["data"]["entries"][0]),
    "metadata of numbers": lambda it: it["data"]["entries"][0].update(metadata={"a": 1}),
    "text for a gap": lambda it: it["data"]["gaps"].append("x"),
    "a gap without a code": lambda it: it["data"]["gaps"][0].pop("code"),
    "fewer entries than there are": lambda it: it["data"].update(entries_total=1),
    "text for a request": lambda it: it["data"].update(request="x"),
    "broken base64": lambda it: it["data"].update(request_id={"base64": "!"}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_document_that_is_not_as_it_was_written_is_refused(
    change: Callable[[dict[str, Any]], object], report: HistoryReport
) -> None:
    with pytest.raises(InvalidInput, match=r"^'f' ") as refusal:
        read_document(changed(report, change), "f")
    assert refusal.value.hint


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{",
        b"\xff{}",
        b'{"schema": NaN}',
        b'{"schema": 1e999}',
        b'{"schema": "a", "schema": "b"}',
        b'{"schema": "\x00"}',
        b'{"schema": "\\ud800"}',
        b'{"schema": ' + b"9" * 5000 + b"}",
        b'{"schema": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"schema": "' + b"x" * (1024 * 1024 + 1) + b'"}',
    ],
    ids=lambda text: repr(text[:20]),
)
def test_a_hostile_file_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"^'f' "):
        read_document(text, "f")
