"""A plan survives its file, and nothing else passes for one."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.errors import InvalidInput, Refused
from stovepipe_cli.repair.plan_checks import Here, require_applicable
from stovepipe_cli.repair.plan_digest import document_digest, plan_document, sealed
from stovepipe_cli.repair.plan_file import parse_plan, read_plan, write_plan
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.reports import PlanEntry, RepairPlan
from tests.support.audits import queue_of
from tests.support.lifecycles import failed, succeeded
from tests.support.repairs import Repairs, number

Document = dict[str, Any]


@pytest.fixture
def plan() -> RepairPlan:
    lives = (
        succeeded(1),
        succeeded(2).drop("state/1", "state/3"),
        failed(3).lose("state/3").without("uri"),
        succeeded(4).without("summary", "acceptance"),
    )
    return Repairs(queue_of(*lives)).plan(PlanOptions(allow_retention_time=True))


def edited(plan: RepairPlan, edit: Callable[[Document], object]) -> bytes:
    """The plan's file after an edit, with a digest that fits it."""
    document: Document = json.loads(json.dumps(plan_document(plan)))
    edit(document)
    document["digest"] = document_digest(document)
    return json.dumps(document).encode()


def of_request(plan: RepairPlan, request_id: str) -> PlanEntry:
    """The plan's first entry, as one of another request."""
    entry = plan.entries[0]
    return replace(entry, request_id=request_id, entry={**(entry.entry or {}), "request_id": request_id})


def test_the_file_gives_back_the_plan(plan: RepairPlan, tmp_path: Path) -> None:
    write_plan(plan, tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json") == plan


def test_the_whole_json_output_gives_the_plan(plan: RepairPlan) -> None:
    output = {"schema": "stovepipe/v1", "command": "repair plan", "exit_code": 0, "data": plan_document(plan)}
    assert parse_plan(json.dumps(output).encode()) == plan


def test_only_the_owner_may_read_it(plan: RepairPlan, tmp_path: Path) -> None:
    write_plan(plan, tmp_path / "plan.json")
    assert (tmp_path / "plan.json").stat().st_mode & 0o777 == 0o600


def test_a_file_that_exists_is_left_as_it_is(plan: RepairPlan, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text("mine")
    with pytest.raises(Refused):
        write_plan(plan, path)
    assert path.read_text() == "mine"


def test_a_file_that_exists_is_replaced_by_force(plan: RepairPlan, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text("mine")
    write_plan(plan, path, force=True)
    assert read_plan(path) == plan


def test_not_even_force_puts_a_file_in_the_place_of_a_pipe(plan: RepairPlan, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    os.mkfifo(path)
    with pytest.raises(Refused):
        write_plan(plan, path, force=True)
    assert path.is_fifo()


def test_identifiers_that_are_no_utf8_survive(plan: RepairPlan) -> None:
    entry = of_request(plan, "request/\udcff")
    odd = sealed(replace(plan, entries=(entry, *plan.entries[1:])))
    assert parse_plan(json.dumps(plan_document(odd)).encode()) == odd


def test_rows_that_hold_a_nul_character_survive(plan: RepairPlan) -> None:
    entry = replace(of_request(plan, "request/\0"), reason="build 'b-\0' exists")
    odd = sealed(replace(plan, entries=(entry, *plan.entries[1:])))
    assert parse_plan(json.dumps(plan_document(odd)).encode()) == odd


def test_an_edited_plan_is_refused(plan: RepairPlan) -> None:
    document = {**plan_document(plan), "expires_at_ms": plan.expires_at_ms + 1}
    with pytest.raises(Refused, match="changed after it was made"):
        parse_plan(json.dumps(document).encode())


def test_spaces_and_the_order_of_names_are_no_edit(plan: RepairPlan) -> None:
    document = dict(reversed(list(plan_document(plan).items())))
    assert parse_plan(json.dumps(document, indent=7).encode()) == plan


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff\xfe",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"plan_id": "a\0b"}',
        b'{"plan_id": "\\ud800"}',
        b'{"format": 1, "format": 1}',
        b'{"format": NaN}',
        b'{"format": 1e999}',
        b'{"format": ' + b"9" * 30 + b"}",
        b'{"format": ' + b"9" * 100_000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 50 + b"1" + b"}" * 50,
        b'{"schema": "stovepipe/v1", "command": "verify", "data": {}}',
        b'{"schema": "stovepipe/v2", "command": "repair plan", "data": {}}',
        b'{"schema": "stovepipe/v1", "command": "repair plan", "data": null}',
    ],
    ids=range(18),
)
def test_what_is_no_plan_is_refused(raw: bytes) -> None:
    with pytest.raises(Refused) as refusal:
        parse_plan(raw)
    assert refusal.value.exit_code == 7


def first_ready(document: Document) -> Document:
    entry: Document = next(entry for entry in document["entries"] if entry["status"] == "ready")
    return entry


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: document.update(extra=1),
        lambda document: document.pop("counts"),
        lambda document: document.update(format=2),
        lambda document: document.update(format=True),
        lambda document: document.update(queue=7),
        lambda document: document.update(expires_at_ms="tomorrow"),
        lambda document: document.update(created_at_ms=1.5),
        lambda document: document.update(entries={}),
        lambda document: document["target"].update(port=3306),
        lambda document: document["counts"].update(ready="many"),
        lambda document: first_ready(document).update(action="drop-table"),
        lambda document: first_ready(document).update(status="done"),
        lambda document: first_ready(document).update(entry=None),
        lambda document: first_ready(document)["entry"].update(queue="other"),
        lambda document: first_ready(document)["entry"].pop("log_id"),
        lambda document: first_ready(document)["entry"].update(request_version="3"),
        lambda document: first_ready(document)["entry"].update(metadata={"base_uri": 1}),
        lambda document: first_ready(document)["entry"].update(state={"base64": "!"}),
        lambda document: first_ready(document)["evidence"][0].update(table="mysql.user"),
        lambda document: first_ready(document)["evidence"][0].update(key={}),
        lambda document: first_ready(document)["evidence"][0].update(values={"secret": 1}),
        lambda document: first_ready(document).update(evidence=[]),
        lambda document: first_ready(document).update(request_id="request/monorepo/main/999"),
        lambda document: first_ready(document).update(request_id=""),
        lambda document: first_ready(document)["entry"].update(request_id="a\0b"),
        lambda document: first_ready(document).update(log_id="state/99"),
        lambda document: document["options"].update(no_tag="yes"),
        lambda document: document["options"].update(insert_only=1),
        lambda document: document["options"].update(history_since="yesterday"),
        lambda document: document["options"].update(settle_ms=-1),
        lambda document: document["options"].update(min_age_ms=True),
        lambda document: document["options"].update(select="H1"),
        lambda document: document["options"].update(failed_reasons=[]),
        lambda document: document["options"].update(apply_at="noon"),
        lambda document: document["options"].pop("superseded_by"),
        lambda document: document.update(options=None),
    ],
    ids=range(36),
)
def test_a_plan_of_another_shape_is_refused_although_its_digest_fits(
    plan: RepairPlan, edit: Callable[[Document], object]
) -> None:
    with pytest.raises(Refused, match="the plan "):
        parse_plan(edited(plan, edit))


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(raw: bytes) -> None:
    with pytest.raises(Refused):
        parse_plan(raw)


def test_a_file_that_is_not_there_is_no_refusal(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        read_plan(tmp_path / "plan.json")


def here(plan: RepairPlan, **changes: str | int) -> Here:
    fields: Mapping[str, str | int] = {
        "queue": plan.queue,
        "identity": plan.target.identity,
        "schema_fingerprint": plan.schema_fingerprint,
        "now_ms": plan.created_at_ms,
        **changes,
    }
    return Here(**fields)  # type: ignore[arg-type]  # the fields are named above, each with its own type


def test_a_plan_may_be_applied_where_and_when_it_was_made(plan: RepairPlan) -> None:
    assert require_applicable(plan, here(plan)) is False


@pytest.mark.parametrize(
    "changes",
    [
        {"queue": "monorepo/Main"},
        {"identity": "server-2"},
        {"schema_fingerprint": "sha256:others"},
        {"now_ms": 2**62},
        {"now_ms": 1},
    ],
)
def test_elsewhere_or_at_another_time_it_is_refused(plan: RepairPlan, changes: dict[str, str | int]) -> None:
    with pytest.raises(Refused) as refusal:
        require_applicable(plan, here(plan, **changes))
    assert refusal.value.exit_code == 7


def test_both_identities_are_named(plan: RepairPlan) -> None:
    with pytest.raises(Refused, match=r"'server-1'.*'server-2'"):
        require_applicable(plan, here(plan, identity="server-2"))


def test_after_a_failover_it_passes_when_asked_for(plan: RepairPlan) -> None:
    assert require_applicable(plan, here(plan, identity="server-2"), accept_failover=True) is True


def test_a_failover_excuses_no_other_tables(plan: RepairPlan) -> None:
    other = here(plan, identity="server-2", schema_fingerprint="sha256:others")
    with pytest.raises(Refused):
        require_applicable(plan, other, accept_failover=True)


def test_it_holds_entries_to_test_with(plan: RepairPlan) -> None:
    assert {entry.request_id for entry in plan.entries} == {number(2), number(3), number(4)}
    assert {entry.status for entry in plan.entries} == {"ready", "needs-operator"}
