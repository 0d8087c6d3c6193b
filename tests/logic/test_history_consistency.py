from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stovepipe_cli.entities.request import LEGAL_EDGES, REQUEST_STATES
from stovepipe_cli.history.consistency import (
    Deviation,
    accepted_missing,
    current_state_missing,
    earlier_state_missing,
    examine,
    history_missing,
    illegal_transitions,
    out_of_order,
    state_mismatches,
    state_rows,
    states_ahead,
    versions_duplicated,
    visible,
)
from stovepipe_cli.storage.contract.rows import RequestLogRow


def row(
    version: int, state: str, *, log_id: str | None = None, timestamp_ms: int | None = None, metadata: str = "{}"
) -> RequestLogRow:
    return RequestLogRow(
        request_id="41",
        log_id=log_id or f"state/{version}",
        timestamp_ms=1000 * version if timestamp_ms is None else timestamp_ms,
        state=state,
        event="",
        request_version=version,
        outcome_reason="",
        metadata=metadata,
    )


EVENT = RequestLogRow("41", "event/build_triggered/b", 1500, "", "build_triggered", 0, "", '{"build_id": "b"}')
ACCEPTED, PROCESSING, SUCCEEDED = row(1, "accepted"), row(2, "processing"), row(3, "succeeded")


def codes(state: str, version: int, *rows: RequestLogRow) -> list[tuple[str, str]]:
    return [(each.code, each.log_id) for each in examine(state, version, rows)]


@pytest.mark.parametrize(
    ("state", "rows"),
    [
        ("accepted", [ACCEPTED]),
        ("processing", [ACCEPTED, PROCESSING]),
        ("superseded", [ACCEPTED, row(2, "superseded")]),
        ("failed", [ACCEPTED, row(2, "failed")]),
        ("succeeded", [ACCEPTED, EVENT, PROCESSING, SUCCEEDED]),
        ("failed", [ACCEPTED, PROCESSING, row(3, "failed")]),
        ("cancelled", [ACCEPTED, PROCESSING, row(3, "cancelled")]),
    ],
)
def test_every_legal_chain_is_undamaged(state: str, rows: list[RequestLogRow]) -> None:
    version = sum(1 for each in rows if each.state)
    assert examine(state, version, rows) == []


def test_rows_in_the_order_of_their_keys_are_undamaged_beyond_nine_versions() -> None:
    rows = sorted(row(version, "accepted" if version == 1 else "merged") for version in range(1, 12))
    assert examine("merged", 11, rows) == []


def test_no_row_at_all_is_a_missing_history() -> None:
    assert history_missing([]) == [Deviation("H101", "state/1", (), "retained entries", "none")]
    assert codes("succeeded", 3) == [("H101", "state/1")]


def test_events_alone_are_a_history() -> None:
    assert history_missing([EVENT]) == []


def test_the_requests_version_needs_its_entry() -> None:
    assert current_state_missing("succeeded", 3, [ACCEPTED, PROCESSING]) == [
        Deviation("H102", "state/3", (3,), "'succeeded' at version 3", "no entry")
    ]


def test_version_one_needs_an_accepted_entry() -> None:
    found = [Deviation("H103", "state/1", (1,), "'accepted' at version 1", "no such entry")]
    assert accepted_missing([PROCESSING]) == found
    assert accepted_missing([row(1, "processing")]) == found
    assert accepted_missing([row(2, "accepted")]) == found


def test_an_outcome_of_version_three_needs_a_state_before_it() -> None:
    assert [each.log_id for each in earlier_state_missing("succeeded", 3, [ACCEPTED, SUCCEEDED])] == ["state/2"]
    assert earlier_state_missing("succeeded", 3, [ACCEPTED, PROCESSING, SUCCEEDED]) == []


@pytest.mark.parametrize(("state", "version"), [("failed", 2), ("superseded", 3), ("processing", 3), ("merged", 3)])
def test_only_late_build_outcomes_need_a_state_before_them(state: str, version: int) -> None:
    assert earlier_state_missing(state, version, [ACCEPTED]) == []


def test_the_entry_of_the_requests_version_names_its_state() -> None:
    assert state_mismatches("failed", 3, [SUCCEEDED]) == [
        Deviation("H105", "state/3", (3,), "'failed' as the request says", "'succeeded'")
    ]


def test_entries_of_later_versions_are_ahead() -> None:
    assert [each.log_id for each in states_ahead(1, [ACCEPTED, PROCESSING, SUCCEEDED])] == ["state/2", "state/3"]


def test_two_entries_of_one_version_are_one_deviation_about_the_irregular_one() -> None:
    obsolete = "log/" + "0" * 64
    states = state_rows([PROCESSING, row(2, "processing", log_id=obsolete), ACCEPTED])
    assert [(each.log_id, each.versions) for each in versions_duplicated(states)] == [(obsolete, (2,))]


@pytest.mark.parametrize(
    ("before", "after"),
    [(before, after) for before in REQUEST_STATES for after in REQUEST_STATES if (before, after) not in LEGAL_EDGES],
)
def test_every_other_edge_between_consecutive_versions_is_illegal(before: str, after: str) -> None:
    assert [(each.log_id, each.versions) for each in illegal_transitions([row(1, before), row(2, after)])] == [
        ("state/2", (1, 2))
    ]


@pytest.mark.parametrize(("before", "after"), sorted(LEGAL_EDGES))
def test_every_legal_edge_is_legal(before: str, after: str) -> None:
    assert illegal_transitions([row(1, before), row(2, after)]) == []


def test_an_illegal_step_says_what_could_have_followed() -> None:
    (step,) = illegal_transitions([PROCESSING, row(3, "superseded")])
    assert (step.expected, step.found) == (
        "after 'processing': 'cancelled', 'failed', 'succeeded'",
        "'superseded' at version 3",
    )


def test_nothing_follows_a_terminal_state() -> None:
    (step,) = illegal_transitions([SUCCEEDED, row(4, "failed")])
    assert step.expected == "after 'succeeded': nothing"


def test_a_gap_between_versions_hides_the_edge() -> None:
    assert illegal_transitions([ACCEPTED, SUCCEEDED]) == []


def test_anything_after_a_terminal_state_is_illegal_whatever_lies_between() -> None:
    found = illegal_transitions([ACCEPTED, row(2, "failed"), row(5, "processing"), row(6, "merged")])
    assert [(each.log_id, each.versions) for each in found] == [("state/5", (2, 5)), ("state/6", (2, 6))]


def test_an_edge_of_an_unknown_state_is_not_judged() -> None:
    assert illegal_transitions([ACCEPTED, row(2, "merged"), row(3, "accepted")]) == []


def test_events_never_count_as_transitions() -> None:
    assert codes("superseded", 2, ACCEPTED, EVENT, row(2, "superseded")) == []


def test_times_may_step_back_as_far_as_clocks_disagree() -> None:
    rows = [row(1, "accepted", timestamp_ms=6000), row(2, "processing", timestamp_ms=1000)]
    assert out_of_order(rows, 5000) == []
    assert [(each.log_id, each.versions) for each in out_of_order(rows, 4999)] == [("state/2", (1, 2))]


def test_small_steps_back_add_up() -> None:
    rows = [row(1, "accepted", timestamp_ms=9000), row(2, "processing", timestamp_ms=5000)]
    rows.append(row(3, "failed", timestamp_ms=1000))
    assert [each.log_id for each in out_of_order(rows, 5000)] == ["state/3"]


def test_repaired_entries_are_left_out_of_the_order_of_times() -> None:
    late = row(2, "processing", timestamp_ms=90_000, metadata='{"repair_run_id": "r"}')
    rows = [ACCEPTED, late, SUCCEEDED]
    assert [each.log_id for each in out_of_order(rows, 5000)] == ["state/3"]
    assert out_of_order(rows, 5000, lambda each: "repair_run_id" in each.metadata) == []


def test_two_entries_of_one_version_have_no_order_of_times() -> None:
    rows = [ACCEPTED, row(2, "processing", timestamp_ms=90_000), row(2, "processing", log_id="x", timestamp_ms=2000)]
    assert out_of_order(rows, 5000) == []


@dataclass(frozen=True)
class Chosen:
    state: str
    version: int
    rows: tuple[RequestLogRow, ...]


@st.composite
def histories(draw: st.DrawFn) -> Chosen:
    states = st.sampled_from([*REQUEST_STATES, "merged"])
    versions = draw(st.lists(st.integers(1, 5), max_size=5))
    rows = [row(version, draw(states), log_id=f"{number}") for number, version in enumerate(versions)]
    return Chosen(draw(states), draw(st.integers(1, 5)), tuple(rows))


@given(histories())
def test_the_table_of_whole_chains_never_hides_a_deviation(chosen: Chosen) -> None:
    states = state_rows(chosen.rows)
    one_by_one = history_missing(chosen.rows) or [
        *current_state_missing(chosen.state, chosen.version, states),
        *accepted_missing(states),
        *earlier_state_missing(chosen.state, chosen.version, states),
        *state_mismatches(chosen.state, chosen.version, states),
        *states_ahead(chosen.version, states),
        *versions_duplicated(states),
        *illegal_transitions(states),
    ]
    assert examine(chosen.state, chosen.version, chosen.rows) == one_by_one


@given(histories())
def test_the_order_of_the_rows_does_not_matter(chosen: Chosen) -> None:
    assert examine(chosen.state, chosen.version, chosen.rows[::-1]) == examine(
        chosen.state, chosen.version, chosen.rows
    )


@pytest.mark.parametrize(
    ("beside", "hidden"),
    [
        (("H101", ()), ("E201", ())),
        (("H101", ()), ("E206", ())),
        (("H102", (3,)), ("P303", (3,))),
        (("H103", (1,)), ("P305", ())),
        (("H105", (3,)), ("H108", (2, 3))),
        (("H106", (4,)), ("P302", (4,))),
        (("H107", (2,)), ("P304", (2,))),
        (("P301", ()), ("A401", ())),
        (("H109", ()), ("P304", (1,))),
        (("E209", ()), ("E210", (3,))),
    ],
)
def test_a_follow_up_is_not_shown_beside_its_cause(
    beside: tuple[str, tuple[int, ...]], hidden: tuple[str, tuple[int, ...]]
) -> None:
    assert visible([hidden, beside]) == (False, True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("H102", (2,)), ("P303", (3,))),
        (("H105", (3,)), ("H108", (1, 2))),
        (("H102", (3,)), ("H103", (1,))),
        (("H103", (1,)), ("P301", ())),
        (("E201", ()), ("E202", ())),
    ],
)
def test_damage_of_its_own_is_shown_beside_other_damage(
    one: tuple[str, tuple[int, ...]], other: tuple[str, tuple[int, ...]]
) -> None:
    assert visible([one, other]) == (True, True)
