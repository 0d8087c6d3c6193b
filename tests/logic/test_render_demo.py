"""The demonstration as a story."""

from dataclasses import replace

from stovepipe_cli.render.output import hints
from stovepipe_cli.reports import (
    ApplyReport,
    DemoReport,
    Explained,
    FixturesLoadReport,
    HistoryReport,
    PlanTarget,
    Receipt,
    RepairPlan,
    VerifyReport,
)
from tests.support.report_samples import PIPE, REQUEST_ID, START_MS, TERMINAL, entry, finding, request_view, shown

HISTORY = HistoryReport(REQUEST_ID, None, request_view(), (entry("state/1", state="accepted"),), ())
VERIFIED = VerifyReport(None, None, {}, {}, (), 3, 0, 0, None, (), ())
PLAN = RepairPlan(
    "plan-1",
    1,
    "demo/main",
    PlanTarget(None, "", "demo.db", "id"),
    "1",
    "f",
    START_MS,
    START_MS,
    {},
    (),
    {},
    "sha256:2",
)
DEMO = DemoReport(
    scenario="demo.yaml",
    queue="demo/main",
    description="A queue after a bad morning, of which it takes more than eighty characters to tell what happened.",
    loaded=FixturesLoadReport("demo.yaml", "sha256:1", 97, 0),
    history=HISTORY,
    before=VERIFIED,
    plan=PLAN,
    applied=ApplyReport("run-1", False, 2, 0, 0, 0, 0, (), Receipt(None, ())),
    after=VERIFIED,
    mended=2,
    left=(Explained(finding("H103", 9), "No row says when it was accepted."),),
    not_left=(),
    is_as_expected=True,
)


def test_every_step_shows_the_command_that_does_the_same() -> None:
    commands = [line for line in shown(DEMO, TERMINAL).splitlines() if line.startswith("$ ")]

    assert commands == [
        "$ stovepipe fixtures load demo",
        "$ stovepipe history show -q demo/main request/monorepo/main/107",
        "$ stovepipe verify -q demo/main",
        "$ stovepipe repair plan -q demo/main --out plan.json",
        "$ stovepipe repair apply plan.json -q demo/main",
        "$ stovepipe verify -q demo/main",
    ]


def test_what_is_left_is_explained_before_the_outcome() -> None:
    assert shown(DEMO, TERMINAL).endswith(
        "What is left, and why\n"
        "\n"
        "  H103 some-rule  request/monorepo/main/9\n"
        "    No row says when it was accepted.\n"
        "\n"
        "as expected: 3 findings, 2 mended, 1 left\n"
    )


def test_a_demonstration_that_went_otherwise_says_how() -> None:
    report = replace(
        DEMO, left=(Explained(finding("H103", 9), ""),), not_left=("E202 request/10",), is_as_expected=False
    )
    text = shown(report, TERMINAL)

    assert "    the scenario does not expect this\n" in text
    assert "  E202 request/10 was expected to be left, and is gone\n" in text
    assert text.endswith("not as expected: 3 findings, 2 mended, 1 left\n")
    assert "please report it" in hints(report, TERMINAL)[0]


def test_a_pipe_is_told_the_same_story_without_colour_and_with_its_sentences_wrapped() -> None:
    told = shown(DEMO, replace(PIPE, output="tsv"))

    assert told == shown(DEMO, PIPE)
    assert told.startswith("A queue after a bad morning, of which it takes more than eighty characters to\ntell")
    assert "\x1b" not in told


def test_csv_has_a_row_for_each_finding_that_is_left() -> None:
    header, row = shown(DEMO, replace(PIPE, output="csv")).splitlines()

    assert header.endswith(",why")
    assert row.startswith("error,H103,request/monorepo/main/9,")
    assert row.endswith("No row says when it was accepted.")
