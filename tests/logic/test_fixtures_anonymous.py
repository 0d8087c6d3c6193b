"""Pseudonyms: nothing that was named can be read, and a verify finds in the copy what it found in the queue."""

import re
from collections import Counter
from collections.abc import Collection

import pytest
from hypothesis import HealthCheck, given, settings

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.rules.sensitive import kinds_of_secret
from stovepipe_cli.fixtures_io.anonymous_rows import AnonymousRows
from stovepipe_cli.fixtures_io.bundled import bundled, bundled_names, near_miss_names
from stovepipe_cli.fixtures_io.dump import Dump, DumpTally
from stovepipe_cli.fixtures_io.generator import SyntheticQueue, plantable
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.fixtures_io.pseudonyms import SPECIMENS, VOCABULARY, Pseudonyms
from stovepipe_cli.fixtures_io.scenario_reader import read_scenario
from stovepipe_cli.history.identity import fact_occurrence
from stovepipe_cli.reports import VerifyReport
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract import rows as r
from stovepipe_cli.storage.contract.mapping import metadata_text, parse_metadata
from stovepipe_cli.storage.contract.rows import Row
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.any_rows import any_rows
from tests.support.audits import StandingClock, check
from tests.support.repairs import Repairs

KEY = b"a key of the test's own"
QUEUE = "monorepo/main"
NOW_MS = 1_767_268_800_000
NOON_MS = 1_754_000_000_000
URI = "git://code.example/team/main/0a1b2c"


def names_of(queue: str = QUEUE, key: bytes = KEY) -> Pseudonyms:
    return Pseudonyms(key, queue, kinds_of_secret)


def filled(rows: Collection[Row], queue: str = QUEUE) -> Storage:
    storage = MemoryFactory(clock=lambda: NOW_MS).for_queue(queue)
    storage.bulk.insert(list(rows))
    return storage


def copied(storage: Storage, requests: Collection[str] | None = None) -> tuple[Storage, str]:
    """A new queue that holds the rows under pseudonyms, and the text they came by."""
    text = "".join(Dump(storage, StandingClock(), requests, names_of(storage.queue)).text(DumpTally()))
    scenario = read_scenario(text.encode(), "copy.yaml")
    copy = MemoryFactory(clock=lambda: NOW_MS).for_queue(scenario.queue)
    load_scenario(copy, scenario, into_existing=False)
    return copy, text


def entry(log_id: str = "state/1", metadata: str = "{}", **fields: str | int) -> r.RequestLogRow:
    row = r.RequestLogRow("7", log_id, NOON_MS, "accepted", "", 1, "", metadata)
    return row._replace(**fields)  # type: ignore[arg-type]  # fields of any type, by name


def anonymous(row: Row, *commits: str) -> Row:
    return AnonymousRows(names_of()).row(row, commits)


def metadata_of(row: Row) -> dict[str, str]:
    assert isinstance(row, r.RequestLogRow)
    return dict(parse_metadata(row.metadata) or {})


def findings(report: VerifyReport, names: Pseudonyms | None) -> Counter[tuple[str, str, str | None]]:
    """Code, table and request of every finding; requests under their pseudonyms where `names` are given."""
    found: Counter[tuple[str, str, str | None]] = Counter()
    for each in report.findings:
        named = each.request_id
        found[each.code, each.subject.table, names.request(named) if names and named else named] += 1
    assert report.findings_total == len(report.findings)
    return found


def assert_same_verify(storage: Storage) -> None:
    copy, _ = copied(storage)
    was, now = (check(each, min_age_ms=0, max_findings=1000) for each in (storage, copy))
    assert findings(now, None) == findings(was, names_of(storage.queue))
    assert (now.verdict, now.legacy_requests, now.coverage) == (was.verdict, was.legacy_requests, was.coverage)


@pytest.mark.parametrize("name", [*bundled_names(), *near_miss_names()])
def test_a_verify_finds_the_same_in_the_copy_of_a_scenario(name: str) -> None:
    scenario = bundled(name)
    assert_same_verify(filled(scenario.rows, scenario.queue))


@pytest.mark.parametrize("ids", ["decimal", "path"])
def test_a_verify_finds_the_same_in_the_copy_of_a_queue_with_every_kind_of_damage(ids: str) -> None:
    damage = {code: 1 for code in plantable() if code != "Q601"}
    synthetic = SyntheticQueue(QUEUE, 120, seed=5, damage=damage, ids="path" if ids == "path" else "decimal")
    storage = filled([row for batch in synthetic.batches() for row in batch])
    assert len(check(storage, max_findings=1000).findings) >= len(damage)
    assert_same_verify(storage)


@pytest.mark.parametrize("name", bundled_names())
def test_a_plan_for_the_copy_is_the_plan_for_the_queue(name: str) -> None:
    scenario = bundled(name)
    storage = filled(scenario.rows, scenario.queue)
    copy, _ = copied(storage)
    names = names_of(storage.queue)
    was, now = (Repairs(each, look=VerifyOptions(settle_ms=0, min_age_ms=0)).plan() for each in (storage, copy))
    assert Counter((each.action, each.status, each.timestamp_source, each.request_id) for each in now.entries) == (
        Counter(
            (each.action, each.status, each.timestamp_source, names.request(each.request_id)) for each in was.entries
        )
    )


@given(any_rows)
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_whatever_stands_in_the_rows_a_copy_can_be_loaded(rows: list[Row]) -> None:
    # Times between 1985 and 2001 may fall together, which only made-up ones can be.
    copied(filled([row for row in rows if not isinstance(row, r.RequestAcceptanceRow)]))


def test_nothing_that_was_named_stands_in_the_copy() -> None:
    rows: list[Row] = [
        r.RequestRow("request/monorepo/main/7", URI, "succeeded", "full", f"{URI}f", 3, "jenkins-4711"),
        r.RequestURIRow(URI, "request/monorepo/main/7", 1),
        r.QueueRow(URI, 0, "request/monorepo/main/7", 1, "", NOON_MS, "paused by alice", 1),
        r.BuildRow("jenkins-4711", "request/monorepo/main/7", "on hold, ask bob", 3),
        r.ValidationFactRow(URI, "//payroll:tests", 0.5, "request/monorepo/main/7", NOON_MS),
        r.ProjectFactByDegreeRow(URI, 0.5, "//payroll:tests"),
        r.RequestLogRow(
            "request/monorepo/main/7",
            "event/build_triggered/jenkins-4711",
            NOON_MS,
            "",
            "build_triggered",
            0,
            "alice said so",
            metadata_text({"build_id": "jenkins-4711", "actor": "alice", "bob@example.com": "carol", "reason": "dave"}),
        ),
        r.RequestLogRow(
            "erin", "frank", NOON_MS, "grace", "heidi", 0, "ivan", '["judy",{"mallory":{"niaj":"olivia"}}]'
        ),
        r.RequestSummaryRow("7", URI, "ssh://peggy@code/1", "rupert", 1, NOON_MS, 1, NOON_MS, "sybil", 0, 0, 0),
        r.RequestAcceptanceRow(NOON_MS, "trent\udcff"),
        r.BuildIssueRow("jenkins-4711", "//payroll:tests", "victor"),
        r.OpenIssueRow("//payroll:tests", "victor", "jenkins-4711"),
        r.IssueLogRow("//payroll:tests", "victor", "jenkins-4711", "walter", NOON_MS),
        r.QueueLogRow("enablement/1", 1, "paused by alice", NOON_MS, '{"actor":"alice"}'),
        r.QueueSummaryRow("paused by alice", 1, NOON_MS, 1, 1),
    ]
    _, text = copied(filled(rows))
    told = re.findall(r"[A-Za-z][a-z]{3,}", " ".join(map(repr, rows)))
    field_names = {name for row in rows for name in row._fields} | {type(row).__name__ for row in rows}
    words = " ".join([*VOCABULARY, *field_names, "actor reason request enablement code"]).replace("_", " ")
    secret = {word for word in told if word not in words and word not in "".join(field_names)}
    assert {"jenkins", "payroll", "alice", "niaj", "trent", "walter", "monorepo", "sybil"} <= secret
    assert {word for word in secret if word in text} == set()
    assert str(NOON_MS) not in text


def test_one_key_gives_one_pseudonym_and_another_key_another() -> None:
    assert names_of().uri(URI) == names_of().uri(URI)
    assert names_of().uri(URI) != names_of(key=b"another key").uri(URI)
    assert names_of().build("b-1") != names_of().build("b-2")


def test_without_the_key_a_pseudonym_is_no_digest_of_the_name() -> None:
    assert fact_occurrence(URI)[:16] not in names_of().uri(URI)


@pytest.mark.parametrize("length", [1, 22, 23, 40, 255])
def test_a_pseudonym_is_never_shorter_than_the_name(length: int) -> None:
    assert len(names_of().build("b" * length)) == max(length, 22)


def test_numbers_and_form_of_request_ids_stay() -> None:
    names = names_of()
    assert names.request("42") == "42"
    assert names.request(f"request/{QUEUE}/42") == f"request/{names.queue}/42"
    assert names.request("request/other/42") != "request/other/42"
    assert names.request("") == ""


def test_commits_of_one_repository_keep_one_beginning() -> None:
    first, second, elsewhere = map(names_of().uri, (f"{URI}1", f"{URI}2", "git://elsewhere/1"))
    assert first.rpartition("/")[0] == second.rpartition("/")[0] != elsewhere.rpartition("/")[0]
    assert re.fullmatch(r"git://repository-[0-9a-f]{16,}/[0-9a-f]{40}", first)


def test_the_digest_of_a_commit_becomes_that_of_its_pseudonym() -> None:
    row = entry(f"event/validation_fact_recorded/{fact_occurrence(URI)}", state="", event="validation_fact_recorded")
    made = anonymous(row, "git://other/1", URI)
    assert isinstance(made, r.RequestLogRow)
    assert made.log_id == f"event/validation_fact_recorded/{fact_occurrence(names_of().uri(URI))}"


def test_a_digest_of_something_else_stays_one_of_something_else() -> None:
    made = anonymous(entry(f"event/validation_fact_recorded/{fact_occurrence(URI)}"), "git://other/1")
    assert isinstance(made, r.RequestLogRow)
    occurrence = made.log_id.rpartition("/")[2]
    assert re.fullmatch(r"[0-9a-f]{64}", occurrence)
    assert occurrence not in {fact_occurrence(URI), fact_occurrence(names_of().uri("git://other/1"))}


def test_times_keep_their_distances_and_unknown_ones_stay_unknown() -> None:
    names = names_of()
    assert names.moment(NOON_MS + 5_000) - names.moment(NOON_MS) == 5_000
    assert NOON_MS - names.moment(NOON_MS) >= 30 * 86_400_000
    assert [names.moment(each) for each in (-5, 0, 1, 1_000)] == [-5, 0, 1, 1_000]


def test_no_time_overtakes_another() -> None:
    names = names_of()
    times = [*range(0, 2_000_000_000_000, 7_654_321_987), 10**12 - 1, 10**12, 5 * 10**11, 5 * 10**11 + 1]
    moved = [names.moment(each) for each in sorted(times)]
    assert moved == sorted(moved)


@pytest.mark.parametrize("kind", SPECIMENS)
def test_a_made_up_secret_is_taken_for_one_of_its_kind(kind: str) -> None:
    assert kinds_of_secret(SPECIMENS[kind]) == (kind,)


def test_there_is_a_made_up_secret_for_every_kind() -> None:
    real = (
        "-----BEGIN RSA PRIVATE KEY-----",
        "https://a:b@c",
        f"ghp_{'a' * 36}",
        "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
        "goroutine 1 [",
    )
    assert {kind for text in real for kind in kinds_of_secret(text)} == set(SPECIMENS)


def test_a_secret_becomes_a_made_up_one_of_the_same_kinds() -> None:
    token = f"ghp_{'x1Y2' * 9}"
    value = metadata_of(anonymous(entry(metadata=metadata_text({"message": f"use {token} and https://a:b@c"}))))[
        "message"
    ]
    assert token not in value
    assert kinds_of_secret(value) == ("a password in a URL", "an access token")


def test_a_password_in_a_commit_becomes_a_made_up_one() -> None:
    made = names_of().uri("https://alice:hunter2@code/1")
    assert "hunter2" not in made
    assert kinds_of_secret(made) == ("a password in a URL",)


def test_a_value_beyond_the_limit_stays_beyond_it() -> None:
    assert len(metadata_of(anonymous(entry(metadata=metadata_text({"message": "é" * 3_000}))))["message"]) == 6_000


def test_numbers_that_metadata_must_hold_stay() -> None:
    metadata = {"fact_degree": "0.25", "project_fact_count": "12", "broken_project_fact_count": "no number"}
    made = metadata_of(anonymous(entry(metadata=metadata_text(metadata))))
    assert (made["fact_degree"], made["project_fact_count"]) == ("0.25", "12")
    assert made["broken_project_fact_count"].startswith("text-")


def test_damaged_metadata_keeps_its_shape() -> None:
    made = anonymous(entry(metadata='{"reason":[1,null,true,"x"],"Bob":{}}'))
    assert isinstance(made, r.RequestLogRow)
    assert re.fullmatch(r'\{"reason":\[0,null,true,"text-[0-9a-f]{16}"\],"key-[0-9a-f]{16}":\{\}\}', made.metadata)


def test_words_of_the_service_stay_and_others_stay_unknown() -> None:
    assert names_of().word("superseded") == "superseded"
    assert re.fullmatch(r"word-[0-9a-f]{16}", names_of().word("teleported"))


def test_an_unknown_event_is_unknown_in_its_id_too() -> None:
    made = anonymous(entry("event/teleported/x", state="", event="teleported"))
    assert isinstance(made, r.RequestLogRow)
    assert made.log_id.startswith(f"event/{made.event}/")


def test_chosen_requests_are_copied_under_pseudonyms() -> None:
    copy, text = copied(filled(bundled("demo").rows, "demo/main"), ["204"])
    report = check(copy, history_since="none", min_age_ms=0)
    assert [each.code for each in report.findings] == ["E206", "H102", "H103"]
    assert "b-204" not in text
