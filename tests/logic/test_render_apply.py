"""What an apply or a backfill did, for people."""

from dataclasses import replace
from textwrap import dedent

import pytest

from stovepipe_cli.render.output import hints
from stovepipe_cli.reports import ApplyReport, BackfillReport, Receipt, Written
from tests.support.report_samples import HOSTILE, PIPE, TERMINAL, finding, shown

INSERTED = Written(
    "create-log", "request_log", {"request_id": "r/1", "log_id": "state/2"}, None, {"state": "processing"}
)
UPDATED = Written("advance-summary", "request_summary", {"request_id": "r/1"}, {"version": 2}, {"version": 3})
APPLIED = ApplyReport(
    run_id="run-1",
    dry_run=False,
    applied=2,
    identical=0,
    drifted=0,
    conflicts=0,
    failed=0,
    remaining_findings=(),
    receipt=Receipt("plan.receipt.json", (INSERTED, UPDATED)),
)
BACKFILL = BackfillReport("run-1", True, 1300, 1250, 20, 30, 0, 0)


def test_an_apply_lists_rows_counts_a_table_and_the_verdict() -> None:
    assert shown(APPLIED, TERMINAL) == dedent(
        """\
        inserted request_log  r/1 state/2
        updated request_summary  r/1  version 2 → 3

        table            insert  update
        request_log           1       0
        request_summary       0       1

        run      run-1
        receipt  plan.receipt.json

        clean: 2 entries applied
        """
    )


def test_everything_that_did_not_apply_is_counted_and_named() -> None:
    report = replace(
        APPLIED, applied=0, identical=1, drifted=2, conflicts=1, failed=3, problems=("r/9: its build changed",)
    )
    lines = shown(report, PIPE).splitlines()

    assert lines[-1] == "findings: 0 entries applied, 1 there already, 2 drifted, 1 conflict, 3 failed"
    assert "problem  r/9: its build changed" in lines


def test_an_apply_that_stopped_says_why() -> None:
    text = shown(replace(APPLIED, stopped_because="--max-entries was reached"), PIPE)

    assert "stopped  --max-entries was reached\n" in text
    assert text.splitlines()[-1] == "incomplete: 2 entries applied"


def test_a_dry_run_says_that_nothing_was_written() -> None:
    report = replace(APPLIED, dry_run=True, receipt=Receipt(None, ()))

    assert shown(report, PIPE).splitlines()[-1] == "clean: dry run, nothing was written: 2 entries would be applied"
    assert hints(report, PIPE) == ("next: the same command without --dry-run",)


def test_findings_that_remain_are_shown_and_lead_to_verify() -> None:
    report = replace(APPLIED, remaining_findings=(finding("H103", repair=None),))

    assert "H103 some-rule  remaining error  1" in shown(report, TERMINAL)
    assert hints(report, TERMINAL) == (
        "1 finding remains in the requests of the plan: 'stovepipe verify' shows what each one needs",
    )


def test_a_terminal_gets_twenty_rows_and_a_pipe_all() -> None:
    report = replace(APPLIED, receipt=Receipt("r.json", (INSERTED,) * 30))

    assert "… and 10 more: the receipt lists every row" in shown(report, TERMINAL)
    assert shown(report, PIPE).count("inserted request_log") == 30


def test_a_backfill_counts_requests_and_says_how_to_write_them() -> None:
    assert shown(BACKFILL, TERMINAL) == dedent(
        """\
        scanned                  1,300
        would be mapped          1,250
        mapped before               20
        acceptance time unknown     30
        in conflict                  0
        set aside                    0
        summaries to update          0
        run                      run-1

        clean: dry run, nothing was written: 1,250 requests would be mapped
        """
    )
    assert hints(BACKFILL, TERMINAL) == ("next: the same command with --apply",)


def test_a_backfill_that_wrote_needs_no_hint() -> None:
    report = replace(BACKFILL, dry_run=False, conflicts=1, problems=("r/1 has two times",))

    assert shown(report, PIPE).splitlines()[-1] == "findings: 1,250 requests mapped"
    assert "problem                  r/1 has two times" in shown(report, PIPE)
    assert hints(report, PIPE) == ()


def test_a_backfill_that_stopped_says_why() -> None:
    report = replace(BACKFILL, dry_run=False, run_id="run-2", stopped_because="the time budget ended")
    lines = shown(report, TERMINAL).splitlines()
    assert [line.split(maxsplit=1)[1] for line in lines if line.startswith("stopped")] == ["the time budget ended"]


def test_findings_that_remain_stand_by_code_whatever_their_order() -> None:
    left = (finding("E201"), finding("H102"), finding("E201"))
    lines = shown(replace(APPLIED, remaining_findings=left), TERMINAL).splitlines()
    assert [line for line in lines if " remaining " in line] == [
        "E201 some-rule  remaining error  2",
        "H102 some-rule  remaining error  1",
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_data_is_shown_literally(text: str) -> None:
    written = Written("create-uri", "request_uri", {"uri": text}, None, {})
    report = replace(APPLIED, problems=(text,), receipt=Receipt(text, (written,)), stopped_because=text)

    assert shown(report, PIPE).count(text) >= 4
