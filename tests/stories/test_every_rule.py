"""No rule without a scenario, a story and a near miss; every situation that is easily taken for damage is in one."""

from collections import Counter
from collections.abc import Callable

import pytest

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.entities.build import TERMINAL_BUILD_STATUSES
from stovepipe_cli.fixtures_io.bundled import bundled, bundled_names, near_miss_names
from stovepipe_cli.storage.contract.rows import (
    TABLE_OF,
    BuildRow,
    RequestLogRow,
    RequestRow,
    Row,
    ValidationFactRow,
)
from tests.stories import test_names_alike, test_near_misses, test_rules

# Judged against what an earlier verify of the same queue left behind, which no scenario holds.
ELSEWHERE = frozenset({"H118"})
CODES = sorted(set(RULES) - ELSEWHERE)

Rows = tuple[Row, ...]


@pytest.mark.parametrize("code", CODES)
def test_a_rule_has_a_scenario_that_gives_its_finding_alone(code: str) -> None:
    assert code.lower() in bundled_names(), f"no fixtures/{code.lower()}.yaml"
    assert {each.code for each in bundled(code.lower()).expectation.findings} == {code}


@pytest.mark.parametrize("code", CODES)
def test_a_rule_has_a_story(code: str) -> None:
    assert code.lower() in {*test_rules.TOLD, test_names_alike.NAME}


@pytest.mark.parametrize("code", CODES)
def test_a_rule_has_a_near_miss_in_which_nothing_is_to_be_found(code: str) -> None:
    name = f"near-misses/{code.lower()}"
    assert name in near_miss_names(), f"no fixtures/{name}.yaml"
    near = bundled(name)
    assert near.expectation.findings == ()
    assert near.description.endswith(".")


@pytest.mark.parametrize("code", sorted(set(CODES) - {"H114"}))
def test_a_near_miss_has_rows_where_its_rule_looks(code: str) -> None:
    tables = {TABLE_OF[type(row)].name for row in bundled(f"near-misses/{code.lower()}").rows}
    assert tables & set(RULES[code].tables) or code == "Q601"


def test_no_scenario_is_named_for_a_rule_that_does_not_exist() -> None:
    known = {code.lower() for code in RULES} | {"demo", "healthy"}
    assert set(bundled_names()) <= known
    assert {name.rpartition("/")[2] for name in near_miss_names()} <= known


def test_near_misses_are_of_queues_of_their_own() -> None:
    queues = Counter(bundled(name).queue for name in near_miss_names())
    assert max(queues.values()) == 1


def requests(rows: Rows, state: str) -> list[RequestRow]:
    return [row for row in rows if isinstance(row, RequestRow) and row.state == state]


def builds_of(rows: Rows, request: RequestRow) -> list[BuildRow]:
    return [row for row in rows if isinstance(row, BuildRow) and row.request_id == request.id]


def is_running(rows: Rows) -> bool:
    return any(build.status == "running" for each in requests(rows, "processing") for build in builds_of(rows, each))


def is_superseded(rows: Rows) -> bool:
    return bool(requests(rows, "superseded"))


def failed_from_accepted_without_a_fact(rows: Rows) -> bool:
    proven = {row.request_id for row in rows if isinstance(row, ValidationFactRow)}
    return any(each.version == 2 and each.id not in proven for each in requests(rows, "failed"))


def polling_exhausted_with_a_live_build(rows: Rows) -> bool:
    exhausted = {
        row.request_id
        for row in rows
        if isinstance(row, RequestLogRow) and row.outcome_reason == "build_polling_exhausted"
    }
    return any(
        each.id in exhausted and any(build.status not in TERMINAL_BUILD_STATUSES for build in builds_of(rows, each))
        for each in requests(rows, "failed")
    )


def two_builds_that_ended_differently(rows: Rows) -> bool:
    decided = [*requests(rows, "succeeded"), *requests(rows, "failed")]
    return any(len({build.status for build in builds_of(rows, each)}) > 1 for each in decided)


def in_flight_when_history_began(rows: Rows) -> bool:
    """Requests with entries and not the first one, below any that has it."""
    entries = [row for row in rows if isinstance(row, RequestLogRow)]
    whole = {row.request_id for row in entries if row.log_id == "state/1"}
    below = {row.request_id for row in entries} - whole
    return bool(below) and max(number(each) for each in below) < min(number(each) for each in whole)


def number(request_id: str) -> int:
    return int(request_id.rpartition("/")[2])


SITUATIONS: tuple[tuple[Callable[[Rows], bool], tuple[str, ...]], ...] = (
    (is_running, ("H102", "H104", "H106", "E202", "E203")),
    (is_superseded, ("H104", "H108", "E210")),
    (failed_from_accepted_without_a_fact, ("H104", "H108", "E210")),
    (polling_exhausted_with_a_live_build, ("E202", "E203", "E210", "E211", "Q604")),
    (two_builds_that_ended_differently, ("H107", "E201", "E211")),
    (in_flight_when_history_began, ("H101", "H103", "E201", "P301", "P306", "A401")),
)


@pytest.mark.parametrize(
    ("situation", "code"),
    [
        pytest.param(situation, code, id=f"{situation.__name__}-{code}")
        for situation, codes in SITUATIONS
        for code in codes
    ],
)
def test_a_near_miss_holds_the_situation(situation: Callable[[Rows], bool], code: str) -> None:
    assert situation(bundled(f"near-misses/{code.lower()}").rows)


def test_summaries_without_the_later_columns_are_a_near_miss_of_every_rule_about_them() -> None:
    assert {each.upper() for each in test_near_misses.SILENT_WITHOUT_LATER_COLUMNS} <= set(RULES)
