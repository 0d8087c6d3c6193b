"""Every rule's story: damage, verify names it, repair writes back what is proved, verify is clean of that, no-op."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

import pytest

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.fixtures_io.bundled import bundled, bundled_content, bundled_names
from stovepipe_cli.fixtures_io.scenario import ExpectedFinding, ExpectedRemainder
from stovepipe_cli.fixtures_io.scenario_reader import read_scenario
from stovepipe_cli.history.metadata_keys import REPAIR_RUN_ID
from stovepipe_cli.reports import PlanEntry
from stovepipe_cli.storage.contract.rows import TABLE_OF, Key, RequestLogRow, RequestSummaryRow, Row, key_of
from tests.stories.story import NewDatabase, Story, named, tell

# Those that need another queue beside them have a story of their own.
TOLD = tuple(name for name in bundled_names() if bundled(name).expectation.beside is None)

# Where a column is absent, no rule that is about its values has anything to say.
ABOUT_COLUMN = {"P307": ("request_summary", "project_results_completed_at_ms")}


@pytest.fixture(scope="module", params=TOLD)
def story(request: pytest.FixtureRequest, new_database: NewDatabase) -> Iterator[Story]:
    with new_database() as factory:
        yield tell(factory, bundled(request.param))


def test_verify_names_the_damage_and_nothing_else(story: Story) -> None:
    expected = visible(story, story.scenario.expectation.findings)
    assert named(story.before) == expected
    is_damage = any(RULES[code].severity == "error" for code, _ in expected)
    assert story.before.verdict == ("findings" if is_damage else "clean")
    assert story.before.pending == 0


def test_verify_counts_requests_from_before_histories_and_calls_them_no_damage(story: Story) -> None:
    assert story.before.legacy_requests == story.scenario.expectation.legacy_requests


def test_verify_writes_nothing(story: Story) -> None:
    assert story.looked == story.loaded


def test_a_finding_names_a_repair_exactly_where_a_plan_has_one(story: Story) -> None:
    planned = {
        (each.request_id or None, each.code) for each in story.mend.plan.entries if each.status != "not-derivable"
    }
    named_repairs = {(each.request_id, each.code) for each in story.before.findings if each.repair is not None}
    assert named_repairs == planned


def test_repair_applies_all_that_its_plan_calls_ready(story: Story) -> None:
    ready = [entry for entry in story.mend.plan.entries if entry.status == "ready"]
    assert story.mend.applied.applied == len(ready)
    assert story.mend.applied.exit_code == 0


def test_repair_changes_no_row_but_projections_that_its_plan_names(story: Story) -> None:
    named_updates = {place for entry in story.mend.plan.entries if (place := updated_by(entry)) is not None}
    # Writing an entry moves the summary along, where the entry knows more; the receipt lists that too.
    written_updates = {
        (each.table, tuple(each.key.values())) for each in story.mend.applied.receipt.written if each.before is not None
    }
    changed = {place for place, row in story.loaded.items() if story.mend.rows.get(place) != row}
    assert changed == written_updates
    assert changed <= named_updates


def test_repair_writes_only_rows_that_its_receipt_lists(story: Story) -> None:
    inserted = {place for place in story.mend.rows if place not in story.loaded}
    listed = {
        (each.table, tuple(each.key.values())) for each in story.mend.applied.receipt.written if each.before is None
    }
    assert inserted == listed


def test_repair_writes_back_what_was_lost_with_its_time_and_content(story: Story) -> None:
    written = [row for place, row in story.mend.rows.items() if place not in story.loaded]
    original = undamaged(story) if written else {}
    assert [comparable(row) for row in written] == [original[type(row), key_of(row)] for row in written]


def test_verify_then_finds_exactly_what_no_row_could_prove(story: Story) -> None:
    left = visible(story, story.scenario.expectation.after_repair)
    assert named(story.after) == left
    assert {(each.code, each.request_id) for each in story.mend.applied.remaining_findings} <= set(left)


def test_applying_the_plan_again_is_a_clean_no_op(story: Story) -> None:
    assert story.again.rows == story.mend.rows
    assert story.again.applied.applied == 0
    assert story.again.applied.identical == story.mend.applied.applied
    assert story.again.applied.exit_code == 0


def test_a_new_plan_finds_nothing_left_to_write(story: Story) -> None:
    assert [entry for entry in story.anew.plan.entries if entry.status == "ready"] == []
    assert story.anew.rows == story.mend.rows


def visible(story: Story, expected: Iterable[ExpectedFinding | ExpectedRemainder]) -> list[tuple[str, str | None]]:
    """Code and request of what is expected on this database."""
    found = []
    for each in expected:
        table, column = ABOUT_COLUMN.get(each.code, ("request", "id"))
        if column in story.columns[table]:
            found.append((each.code, each.request_id))
    return sorted(found, key=repr)


def updated_by(entry: PlanEntry) -> tuple[str, Key] | None:
    """Table and key of the projection that an entry of a plan moves forward."""
    if entry.action == "advance-summary":
        return "request_summary", (entry.request_id,)
    return ("queue_summary", ()) if entry.action == "advance-queue-summary" else None


def undamaged(story: Story) -> dict[tuple[type[Row], Key], Row]:
    """Every row as it was before anything was lost, as far as the database holds it."""
    read = read_scenario(without_losses(story.scenario.source), story.scenario.source)
    return {(type(row), key_of(row)): comparable(as_stored(row, story.columns)) for row in read.rows}


def without_losses(source: str) -> bytes:
    """The scenario as it was before anything was lost: replaced columns stay, they are contradictions."""
    text = bundled_content(source.removesuffix(".yaml")).decode()
    return re.sub(r"(, |\n +)(lost|without): \[[^\]]*\]", "", text).encode()


def as_stored(row: Row, columns: Mapping[str, frozenset[str]]) -> Row:
    """The row with nothing in the columns that the database lacks."""
    table = TABLE_OF[type(row)]
    there = columns[table.name]
    return type(row)._make(
        value if name in there else table.column(name).default for name, value in row._asdict().items()
    )


def comparable(row: Row) -> Row:
    """The row without what a repair adds, and without a projection's own version."""
    if isinstance(row, RequestLogRow):
        metadata = json.loads(row.metadata)
        metadata.pop(REPAIR_RUN_ID, None)
        return row._replace(metadata=json.dumps(metadata, sort_keys=True))
    if isinstance(row, RequestSummaryRow):
        return row._replace(version=0)
    return row
