"""Three verdicts: what could not be looked at is never clean."""

import pytest

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.verifier import collect_findings, verify, verify_requests
from stovepipe_cli.errors import NothingFound, UsageError
from stovepipe_cli.storage.contract import SchemaMismatch, StatementTimeout, Storage, StorageUnavailable
from stovepipe_cli.storage.memory import MemoryFactory
from tests.support.audits import StandingClock, check, codes, names, queue_of
from tests.support.lifecycles import (
    LONG_AFTER_MS,
    QUEUE,
    Life,
    accepted,
    healthy,
    put,
    queue_row_of,
    succeeded,
    superseded,
)
from tests.support.watched_storage import watched


class Refusal(StorageUnavailable):
    """The account may not read a table."""

    retryable = False


def queue_without(*tables: str) -> Storage:
    factory = MemoryFactory(clock=lambda: LONG_AFTER_MS, absent_tables=frozenset(tables))
    storage = factory.for_queue(QUEUE)
    absent = set(tables)
    lives: list[Life] = healthy(20)
    rows = [*(row for life in lives for row in life.rows()), queue_row_of(lives)]
    storage.bulk.insert([row for row in rows if _table(row) not in absent])
    return storage


def _table(row: object) -> str:
    from stovepipe_cli.storage.contract.rows import TABLE_OF

    return TABLE_OF[type(row)].name  # type: ignore[index]  # every row is of a known type


def test_a_queue_without_any_row_is_not_found() -> None:
    storage = MemoryFactory().for_queue("monorepo/mian")
    with pytest.raises(NothingFound) as caught:
        verify(storage, VerifyOptions(), clock=StandingClock(), known_queues=lambda: ["monorepo/main", "other"])
    assert caught.value.message == "queue 'monorepo/mian' has no row in any table"
    assert caught.value.hint == "did you mean 'monorepo/main'?"
    assert caught.value.exit_code == 5


def test_an_empty_queue_is_clean_where_that_is_allowed() -> None:
    report = check(MemoryFactory().for_queue("new"), allow_empty=True)
    assert (report.verdict, report.exit_code, report.findings_total) == ("clean", 0, 0)


def test_one_row_in_any_table_makes_a_queue() -> None:
    storage = MemoryFactory().for_queue("new")
    storage.queues.get_or_create()
    assert check(storage).verdict == "clean"


@pytest.mark.parametrize("table", ["request_acceptance", "request_summary"])
def test_an_absent_later_table_is_noted_and_stays_clean(table: str) -> None:
    report = check(queue_without("request_acceptance", table))
    assert (report.verdict, report.blocking) == ("clean", ())
    assert any(f"'{table}'" in note and "absent" in note for note in report.notes)
    assert report.coverage["acceptances"].absent


def test_an_absent_table_that_a_selected_rule_needs_is_incomplete() -> None:
    report = check(queue_without("request_acceptance"), select=("A401",))
    assert (report.verdict, report.exit_code) == ("incomplete", 4)
    assert report.blocking == ("table 'request_acceptance' is absent: rule A401 was not checked",)


def test_an_absent_table_that_is_expected_is_incomplete() -> None:
    report = check(queue_without("request_acceptance"), expect_tables=("request_acceptance",))
    assert report.verdict == "incomplete"


@pytest.mark.parametrize("table", ["build", "validation_fact", "request_uri", "request_log"])
def test_an_absent_table_of_every_deployment_is_incomplete(table: str) -> None:
    report = check(queue_without(table), history_since="none", ignore=("P", "H", "A") if table == "request_log" else ())
    assert report.verdict == "incomplete"
    assert any(sentence.startswith(f"table '{table}' is absent") for sentence in report.blocking)


def test_without_a_log_nothing_is_called_damage() -> None:
    report = check(queue_without("request_log"))
    assert (codes(report), report.verdict) == ([], "incomplete")


def test_findings_outrank_incomplete_and_both_are_shown() -> None:
    storage = queue_without("request_acceptance")
    put(storage, succeeded(21).lose("state/2").without("acceptance"), queue_row=False)
    report = check(storage, expect_tables=("request_acceptance",))
    assert (report.verdict, report.exit_code, report.is_incomplete) == ("findings", 3, True)


def test_findings_do_not_set_the_code_where_that_was_asked_for() -> None:
    report = check(queue_of(accepted(1), succeeded(2).lose("state/2")), exit_zero=True)
    assert (report.verdict, report.exit_code) == ("findings", 0)


def test_an_unknown_expected_table_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="'requests', which is no table"):
        check(queue_of(accepted(1)), expect_tables=("requests",))


def test_a_table_that_may_not_be_read_is_skipped_and_incomplete() -> None:
    storage, watch = watched(queue_of(*healthy(20)))

    def refuse(table: str) -> None:
        if table == "build":
            raise Refusal("user 'audit' may not read table 'build'")

    watch.before_view = refuse
    report = check(storage)
    assert (report.verdict, report.exit_code, report.coverage["builds"].skipped) == ("incomplete", 4, 1)
    assert report.coverage["requests"].skipped == 0
    assert any(sentence.startswith("table 'build' may not be read: rules E201") for sentence in report.blocking)


def test_an_account_that_may_read_no_request_is_an_error() -> None:
    storage, watch = watched(queue_of(*healthy(5)))

    def refuse(table: str) -> None:
        raise Refusal(f"no right on '{table}'")

    watch.before_view = refuse
    with pytest.raises(StorageUnavailable):
        check(storage)


def test_a_connection_lost_for_good_is_an_error_and_never_an_end() -> None:
    storage, watch = watched(queue_of(*healthy(20)))

    def lose(table: str, number: int) -> None:
        if table == "build" and number >= 1:
            raise StorageUnavailable("the connection was lost")

    watch.before_page = lose
    clock = StandingClock()
    with pytest.raises(StorageUnavailable):
        check(storage, clock=clock)
    assert clock.slept == [1.0, 2.0, 3.0]


def test_a_connection_lost_once_in_the_middle_of_a_page_changes_nothing() -> None:
    lives = [succeeded(number).lose("state/2") for number in range(2, 6)]
    storage, watch = watched(queue_of(*healthy(1), *lives))
    lost: list[str] = []

    def lose(table: str, number: int) -> None:
        if table == "request_log" and number == 1 and not lost:
            lost.append(table)
            raise StorageUnavailable("the connection was lost")

    watch.before_page = lose
    report = check(storage, settle_ms=10)
    assert lost == ["request_log"]
    assert (report.counts, report.coverage["requests"].checked) == ({"H104": 4}, 5)


def test_a_page_that_takes_too_long_is_halved() -> None:
    storage, watch = watched(queue_of(*(superseded(number) for number in range(1, 600))))
    failures: list[int] = []

    def time_out(table: str, number: int) -> None:
        if table == "request" and number >= 1 and len(failures) < 2:
            failures.append(number)
            raise StatementTimeout("a statement ran into its time limit")

    watch.before_page = time_out
    assert check(storage).coverage["requests"].checked == 599
    assert [rows for table, rows in watch.pages if table == "request"][:2] == [1, 125]


class PassingClock(StandingClock):
    """Ten seconds pass between any two looks."""

    def monotonic(self) -> float:
        self.current_ms += 10_000
        return self.current_ms / 1000


def test_a_spent_time_budget_is_incomplete_and_says_what_is_missing() -> None:
    report = check(queue_of(*healthy(20)), run_time_ms=25_000, clock=PassingClock())
    assert (report.verdict, report.exit_code) == ("incomplete", 4)
    assert any(part.skipped for part in report.coverage.values())
    assert any("the time budget ended" in note for note in report.notes)


def test_what_was_found_before_the_budget_was_spent_is_reported() -> None:
    lives = [succeeded(2).lose("state/2"), *healthy(1)]
    report = check(queue_of(*lives), run_time_ms=55_000, clock=PassingClock())
    assert (codes(report), report.verdict, report.is_incomplete) == (["H104"], "findings", True)


def test_an_obsolete_log_is_refused() -> None:
    storage, watch = watched(queue_of(*healthy(5)))

    def refuse(table: str) -> None:
        if table == "request_log":
            raise SchemaMismatch("table 'request_log' is of the obsolete design")

    watch.before_view = refuse
    with pytest.raises(SchemaMismatch):
        check(storage)


def test_every_finding_can_be_collected_beyond_the_limit() -> None:
    storage = queue_of(accepted(1), *(succeeded(number).lose("state/2") for number in range(2, 40)))
    found = list(collect_findings(storage, VerifyOptions(settle_ms=0, max_findings=1), clock=StandingClock()))
    assert [each.request_id for each in found] == [f"request/monorepo/main/{number}" for number in range(2, 40)]


def test_a_few_requests_can_be_judged_at_once() -> None:
    lives = [succeeded(2).lose("state/2"), succeeded(3).drop("event/build_triggered/build-3"), succeeded(4)]
    storage, watch = watched(queue_of(accepted(1), *lives))
    evidence = {life.id: (("build", (f"build-{number}",)),) for number, life in enumerate(lives, 2)}
    clock = StandingClock()
    found = verify_requests(storage, evidence, VerifyOptions(), clock=clock)
    assert [(each.code, each.request_id) for each in found] == [("H104", lives[0].id), ("E201", lives[1].id)]
    assert clock.slept == []
    assert not [table for table, _ in watch.pages if table != "request_log"]


def test_legacy_requests_lack_nothing_when_judged_at_once() -> None:
    storage = queue_of(succeeded(1).legacy(), accepted(2))
    assert verify_requests(storage, {succeeded(1).id: ()}, VerifyOptions(), clock=StandingClock()) == ()


def test_progress_is_told_by_pass() -> None:
    from stovepipe_cli.audit.progress import Progress

    told: list[Progress] = []
    storage = queue_of(accepted(1), succeeded(2).lose("state/2"))
    verify(storage, VerifyOptions(settle_ms=10), clock=StandingClock(), progress=told.append)
    assert [each.part for each in told if each.part in ("settle", "confirm")] == ["settle", "confirm"]
    assert Progress("requests", 2) in told
    assert names(check(storage)) == [("H104", "request/monorepo/main/2")]
