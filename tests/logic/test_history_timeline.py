from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.entities import Request, RequestAcceptance, RequestLog, RequestSummary, RequestURI
from stovepipe_cli.history.entries import build_finished_entry, build_triggered_entry
from stovepipe_cli.history.gaps import Surroundings
from stovepipe_cli.history.summary_projection import project_all
from stovepipe_cli.history.timeline import Gap, Mark, Timeline, build_timeline
from tests.support.history_samples import (
    QUEUE,
    REQUEST_ID,
    STARTED_MS,
    URI,
    finished_build,
    green_fact,
    succeeded_request,
    whole_history,
)

WHOLE = whole_history()
ACCEPTED, PROCESSING, TRIGGERED, FINISHED, SUCCEEDED, FACT, PROJECTS = WHOLE
REQUEST = succeeded_request()


def summary() -> RequestSummary:
    projected = project_all(None, WHOLE, REQUEST).summary
    assert projected
    return projected


def surroundings() -> Surroundings:
    return Surroundings(
        builds=(finished_build(),),
        facts=(green_fact(),),
        summaries=(summary(),),
        acceptances=(RequestAcceptance(QUEUE, STARTED_MS, REQUEST_ID),),
        uri_mappings=(RequestURI(QUEUE, URI, REQUEST_ID),),
    )


def without(*lost: RequestLog) -> tuple[RequestLog, ...]:
    return tuple(entry for entry in WHOLE if entry not in lost)


def gaps(timeline: Timeline) -> list[tuple[str, str, int]]:
    return [(gap.code, gap.log_id, gap.position) for gap in timeline.gaps]


def marks(timeline: Timeline) -> dict[str, list[str]]:
    return {each.entry.id: [mark.code for mark in each.marks] for each in timeline.entries if each.marks}


def test_a_whole_history_reads_in_order_without_marks_or_gaps() -> None:
    timeline = build_timeline(REQUEST, reversed(WHOLE), surroundings())
    assert [each.entry for each in timeline.entries] == list(WHOLE)
    assert (marks(timeline), timeline.gaps, timeline.request) == ({}, (), REQUEST)


@pytest.mark.parametrize(
    ("lost", "code", "position"),
    [
        (ACCEPTED, "H103", 0),
        (PROCESSING, "H104", 1),
        (TRIGGERED, "E201", 2),
        (FINISHED, "E202", 3),
        (SUCCEEDED, "H102", 4),
        (FACT, "E206", 5),
    ],
    ids=lambda value: value.id[:30] if isinstance(value, RequestLog) else None,
)
def test_a_lost_entry_is_a_gap_where_it_belongs(lost: RequestLog, code: str, position: int) -> None:
    timeline = build_timeline(REQUEST, without(lost), surroundings())
    assert gaps(timeline) == [(code, lost.id, position)]


def test_a_gap_says_what_was_expected() -> None:
    timeline = build_timeline(REQUEST, without(SUCCEEDED))
    sentence = "expected 'succeeded' at version 3, found no entry"
    assert timeline.gaps == (Gap("H102", "state/3", sentence, 6 - 2, is_mendable=True),)


def test_a_request_without_entries_has_one_gap() -> None:
    around = replace(surroundings(), summaries=())
    assert gaps(build_timeline(REQUEST, (), around)) == [("H101", "state/1", 0)]


def test_rows_that_are_missing_beside_the_history_are_gaps_at_the_end() -> None:
    around = replace(surroundings(), summaries=(), acceptances=(), uri_mappings=())
    assert gaps(build_timeline(REQUEST, WHOLE, around)) == [("P301", "", 7), ("U501", "", 7)]


def test_a_summary_that_knows_the_acceptance_calls_for_the_mapping() -> None:
    around = replace(surroundings(), acceptances=())
    assert gaps(build_timeline(REQUEST, WHOLE, around)) == [("A401", "", 7)]


def test_a_summary_older_than_the_newest_state_is_behind() -> None:
    behind = replace(summary(), state="processing", request_version=2, outcome_reason="")
    around = replace(surroundings(), summaries=(behind,))
    assert gaps(build_timeline(REQUEST, WHOLE, around)) == [("P302", "", 7)]


def test_what_was_not_read_is_not_missing() -> None:
    assert build_timeline(REQUEST, WHOLE, Surroundings()).gaps == ()


def test_builds_and_facts_of_another_request_call_for_nothing() -> None:
    around = Surroundings(
        builds=(replace(finished_build("bk-9"), request_id="9"),), facts=(replace(green_fact(), request_id="9"),)
    )
    assert build_timeline(REQUEST, (ACCEPTED, PROCESSING, SUCCEEDED), around).gaps == ()


def test_a_running_build_calls_for_its_start_alone() -> None:
    around = Surroundings(builds=(finished_build(status="running"),))
    timeline = build_timeline(REQUEST, (ACCEPTED, PROCESSING, SUCCEEDED), around)
    assert gaps(timeline) == [("E201", TRIGGERED.id, 2)]


def test_any_fact_entry_stands_for_the_fact() -> None:
    unhashed = replace(FACT, id="event/validation_fact_recorded/repository")
    assert build_timeline(REQUEST, (*without(FACT), unhashed), surroundings()).gaps == ()


@pytest.mark.parametrize(
    "triggered",
    [replace(TRIGGERED, metadata={}), replace(TRIGGERED, id="event/build_triggered/obsolete")],
    ids=["by its id", "by its metadata"],
)
def test_an_entry_stands_for_its_build_by_id_or_metadata(triggered: RequestLog) -> None:
    assert build_timeline(REQUEST, (*without(TRIGGERED), triggered), surroundings()).gaps == ()


def test_marks_stand_by_code_and_repair_comes_last() -> None:
    entry = replace(TRIGGERED, id="x", metadata={"build_id": "bk-41", "repair_run_id": "r"}, outcome_reason="bored")
    assert marks(build_timeline(REQUEST, (*without(TRIGGERED), entry))) == {"x": ["H110", "H111", "H112", "repaired"]}


def test_nothing_is_missing_of_a_legacy_request() -> None:
    around = replace(surroundings(), summaries=(), uri_mappings=())
    assert gaps(build_timeline(REQUEST, (SUCCEEDED,), around, is_legacy=True)) == [("U501", "", 1)]


def test_contradictions_of_a_legacy_request_are_marked() -> None:
    timeline = build_timeline(succeeded_request(state="failed"), (SUCCEEDED,), is_legacy=True)
    assert (marks(timeline), timeline.gaps) == ({"state/3": ["H105"]}, ())


def test_entries_without_a_request_are_orphans_and_nothing_else() -> None:
    timeline = build_timeline(None, (PROCESSING, TRIGGERED), surroundings())
    assert marks(timeline) == {PROCESSING.id: ["H109"], TRIGGERED.id: ["H109"]}
    assert timeline.gaps == ()


def test_neither_request_nor_entries_is_an_answer() -> None:
    assert build_timeline(None, ()) == Timeline(None, (), ())


def test_a_state_beyond_the_requests_version_is_marked_alone() -> None:
    request = succeeded_request(state="processing", version=2)
    assert marks(build_timeline(request, (ACCEPTED, PROCESSING, SUCCEEDED))) == {"state/3": ["H106"]}


def test_a_duplicated_version_is_marked_on_the_irregular_entry() -> None:
    obsolete = replace(PROCESSING, id="log/" + "0" * 64)
    assert marks(build_timeline(REQUEST, (*WHOLE, obsolete))) == {obsolete.id: ["H107"]}


def test_an_illegal_transition_is_marked_where_it_arrives() -> None:
    superseded = replace(PROCESSING, state="superseded", outcome_reason="superseded_by_newer_head")
    timeline = build_timeline(REQUEST, (ACCEPTED, superseded, SUCCEEDED))
    assert marks(timeline) == {"state/3": ["H108"]}


def test_an_entry_out_of_time_is_marked_where_it_appears() -> None:
    early = replace(PROCESSING, timestamp_ms=STARTED_MS - 6000)
    timeline = build_timeline(REQUEST, (ACCEPTED, early, SUCCEEDED))
    assert [each.entry.id for each in timeline.entries] == ["state/2", "state/1", "state/3"]
    assert marks(timeline) == {"state/2": ["H113"]}


def test_the_clock_skew_is_the_callers() -> None:
    early = replace(PROCESSING, timestamp_ms=STARTED_MS - 6000)
    assert marks(build_timeline(REQUEST, (ACCEPTED, early, SUCCEEDED), skew_ms=6000)) == {}


def test_a_repaired_entry_is_marked_and_out_of_no_order() -> None:
    repaired = replace(
        PROCESSING, timestamp_ms=STARTED_MS + 90_000, metadata={**PROCESSING.metadata, "repair_run_id": "r-1"}
    )
    timeline = build_timeline(REQUEST, (ACCEPTED, repaired, SUCCEEDED))
    assert timeline.entries[-1].marks == (Mark("repaired", "written by repair run 'r-1'"),)
    assert marks(timeline) == {"state/2": ["repaired"]}


@pytest.mark.parametrize(
    ("entry", "codes"),
    [
        (replace(TRIGGERED, event="sung", id="event/sung/x"), ["H112"]),
        (replace(SUCCEEDED, outcome_reason="bored"), ["H112"]),
        (replace(TRIGGERED, metadata={}, malformed_metadata="[1]"), ["H115"]),
        (replace(SUCCEEDED, outcome_reason=""), ["H111"]),
        (replace(TRIGGERED, id="event/build_triggered/other"), ["H110"]),
        (replace(TRIGGERED, state="", event=""), ["H111"]),
    ],
    ids=["unknown event", "unknown reason", "malformed", "lacks its reason", "another's id", "neither kind"],
)
def test_a_strange_entry_is_shown_with_a_mark(entry: RequestLog, codes: list[str]) -> None:
    rest = tuple(each for each in (ACCEPTED, PROCESSING, SUCCEEDED) if each.id != entry.id)
    assert marks(build_timeline(REQUEST, (*rest, entry))) == {entry.id: codes}


def test_a_state_of_a_newer_service_is_shown() -> None:
    request = Request(QUEUE, REQUEST_ID, URI, "merged", 2)
    merged = replace(PROCESSING, state="merged")
    assert marks(build_timeline(request, (ACCEPTED, merged))) == {"state/2": ["H112"]}


def test_the_entries_of_two_builds_are_told_apart() -> None:
    second = finished_build("bk-42", "failed")
    entries = (*WHOLE, build_triggered_entry(second, timestamp_ms=STARTED_MS + 2500))
    timeline = build_timeline(REQUEST, entries, Surroundings(builds=(finished_build(), second)))
    assert gaps(timeline) == [("E202", build_finished_entry(second).id, 5)]


ANY_ENTRY = st.builds(
    RequestLog,
    queue=st.just(QUEUE),
    request_id=st.just(REQUEST_ID),
    id=st.sampled_from([entry.id for entry in WHOLE]) | st.text(max_size=12),
    timestamp_ms=st.integers(-1, 2**63 - 1),
    state=st.sampled_from(["", "accepted", "processing", "succeeded", "merged"]) | st.text(max_size=3),
    event=st.sampled_from(["", "build_triggered", "validation_fact_recorded", "sung"]) | st.text(max_size=3),
    request_version=st.integers(-1, 5),
    outcome_reason=st.sampled_from(["", "build_succeeded", "bored"]),
    metadata=st.dictionaries(
        st.sampled_from(["build_id", "fact_degree", "project_fact_count", "repair_run_id"]), st.text(max_size=5)
    ),
    malformed_metadata=st.sampled_from(["", "[", "null"]),
)


@given(
    st.lists(ANY_ENTRY, max_size=6, unique_by=lambda entry: entry.id),
    st.sampled_from([REQUEST, succeeded_request(state="merged", version=1), None]),
)
def test_whatever_is_retained_is_shown_once_and_in_order(entries: list[RequestLog], request: Request | None) -> None:
    timeline = build_timeline(request, entries, surroundings())
    assert [each.entry for each in timeline.entries] == sorted(entries, key=lambda entry: entry.order)
    assert all(0 <= gap.position <= len(entries) for gap in timeline.gaps)
