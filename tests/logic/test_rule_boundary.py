"""H118: a later beginning of history than an earlier verify of the whole queue saw is a loss, and nothing else is."""

import pytest

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.reports import VerifyReport
from stovepipe_cli.request_id import spell_request_id
from stovepipe_cli.storage.contract import Storage
from tests.support.audits import StandingClock, check, codes, queue_of
from tests.support.lifecycles import QUEUE, Life, accepted, succeeded, superseded


def boundary(number: int) -> tuple[int, str]:
    return number, spell_request_id(QUEUE, number, "path")


def whole_queue() -> list[Life]:
    """Three requests from before histories, and four with one."""
    return [*(superseded(number).legacy() for number in (1, 2, 3)), *(succeeded(number) for number in (4, 5, 6, 7))]


def purged(*numbers: int) -> Storage:
    """The same, after the histories of these requests were deleted."""
    return queue_of(
        *(life.drop(*life.log) if int(life.id.rpartition("/")[2]) in numbers else life for life in whole_queue())
    )


def message_of(report: VerifyReport) -> str:
    (finding,) = report.findings
    return finding.message


def test_a_whole_verify_tells_where_history_begins() -> None:
    assert check(queue_of(*whole_queue())).boundary == boundary(4)


def test_histories_that_were_deleted_up_to_a_request_are_found_by_what_is_on_record() -> None:
    storage = purged(4, 5)
    assert codes(check(storage)) == [], "nothing tells without a record"
    report = check(storage, recorded_boundary=boundary(4))
    assert (codes(report), report.verdict, report.exit_code) == (["H118"], "findings", 3)
    (finding,) = report.findings
    assert (finding.subject.table, finding.subject.key) == ("request_log", {"queue": QUEUE})
    assert (finding.expected, finding.found) == (boundary(4)[1], boundary(6)[1])
    assert (finding.severity, finding.request_id, finding.repair) == ("error", None, None)
    assert finding.message == (
        f"history begins at request '{boundary(6)[1]}' now, and an earlier verify saw it begin at '{boundary(4)[1]}': "
        "2 requests have lost all their history since"
    )
    assert (report.counts, report.findings_total) == ({"H118": 1}, 1)


def test_one_lost_history_is_counted_as_one() -> None:
    message = message_of(check(purged(4), recorded_boundary=boundary(4)))
    assert message.endswith("one request has lost all its history since")


def test_a_lost_first_entry_alone_moves_the_boundary_as_well() -> None:
    lives = whole_queue()
    lives[3].lose("state/1")
    report = check(queue_of(*lives), recorded_boundary=boundary(4))
    assert message_of(report).endswith("that request has lost its first entry since")


def test_a_queue_that_lost_every_history_has_the_finding_beside_being_incomplete() -> None:
    report = check(purged(4, 5, 6, 7), recorded_boundary=boundary(4))
    assert codes(report) == ["H118"]
    assert message_of(report).startswith("no request has any history now")
    assert report.is_incomplete


def test_the_same_finding_has_the_same_id_however_far_the_boundary_moved() -> None:
    first = check(purged(4), recorded_boundary=boundary(4)).findings[0]
    second = check(purged(4, 5), recorded_boundary=boundary(4)).findings[0]
    assert first.id == second.id


@pytest.mark.parametrize("recorded", [4, 5, 7, 100])
def test_a_boundary_that_did_not_rise_is_no_loss(recorded: int) -> None:
    assert codes(check(queue_of(*whole_queue()), recorded_boundary=boundary(recorded))) == []


def test_requests_that_are_gone_themselves_have_lost_nothing() -> None:
    lives = [life for life in whole_queue() if int(life.id.rpartition("/")[2]) >= 6]
    assert codes(check(queue_of(*lives), recorded_boundary=boundary(4))) == []


def test_a_history_lost_above_the_boundary_is_damage_of_that_request_alone() -> None:
    report = check(purged(6), recorded_boundary=boundary(4))
    assert "H118" not in codes(report)
    assert "H101" in codes(report)


def test_an_operator_who_says_where_history_begins_is_believed() -> None:
    report = check(purged(4, 5), recorded_boundary=boundary(4), history_since=boundary(6)[1])
    assert (codes(report), report.boundary) == ([], None)


@pytest.mark.parametrize("narrowing", [{"last": 3}, {"select": ("H",)}, {"ignore": ("Q",)}])
def test_a_narrowed_verify_neither_tells_nor_compares(narrowing: dict[str, object]) -> None:
    report = check(purged(4, 5), recorded_boundary=boundary(4), **narrowing)  # type: ignore[arg-type]  # one of several
    assert (codes(report), report.boundary) == ([], None)


def test_a_verify_without_time_for_all_requests_neither_tells_nor_compares() -> None:
    class Hurried(StandingClock):
        def monotonic(self) -> float:
            self.current_ms += 1_000
            return super().monotonic()

    report = check(purged(4, 5), recorded_boundary=boundary(4), clock=Hurried(), run_time_ms=1)
    assert (codes(report), report.boundary) == ([], None)


def test_a_loss_that_is_gone_at_the_second_look_is_none() -> None:
    lives = whole_queue()
    rows = list(lives[3].log.values())
    storage = purged(4)
    clock = StandingClock(on_sleep=lambda: storage.bulk.insert(rows))
    assert codes(check(storage, recorded_boundary=boundary(4), clock=clock, settle_ms=5_000)) == []
    assert clock.slept


def test_a_loss_that_stands_carries_both_looks() -> None:
    report = check(purged(4), recorded_boundary=boundary(4), settle_ms=5_000)
    assert len(report.findings[0].reads) == 2


def test_a_boundary_that_rests_on_no_first_entry_is_not_told() -> None:
    assert check(queue_of(superseded(1).legacy(), succeeded(2).lose("state/1"))).boundary is None
    assert check(queue_of(accepted(1))).boundary == boundary(1)


def test_its_explanation_says_how_an_operator_silences_it() -> None:
    assert "history_since" in RULES["H118"].explanation
