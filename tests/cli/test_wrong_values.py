"""Values, options and commands that cannot be."""

import pytest

from tests.cli.running import Program


@pytest.mark.parametrize(
    "argv",
    [
        "verify --since 2026-01-01T00:00",
        "verify --since yesterday",
        "verify --settle 5",
        "verify --min-age -1s",
        "verify --last 0",
        "verify --fail-on fatal",
        "verify --select Z9",
        "verify --max-findings 0",
        "verify --run-time 0",
        "verify --connect-timeout soon",
        "verify --last 5 --request 117",
        "repair plan --expires never",
        "repair plan --failed-reason 42",
        "repair plan --allow-retention-time --no-tag",
        "backfill acceptances --batch 0",
        "backfill acceptances --rate 0",
        "db ping --wait long",
        "fixtures load no-such-scenario",
        "rules explain H",
    ],
)
def test_a_value_that_cannot_be_is_refused_in_a_sentence(argv: str, healthy: Program) -> None:
    result = healthy(*argv.split(" "))
    assert (result.code, result.stdout) == (2, "")
    message, hint = result.stderr.splitlines()
    assert message.startswith("stovepipe: ")
    assert hint.startswith("  ")


def test_a_time_without_a_zone_is_refused_with_two_right_spellings(healthy: Program) -> None:
    result = healthy("verify", "--since", "2026-01-01T08:00")
    assert "'2026-01-01T08:00Z'" in result.stderr
    assert "'2026-01-01T08:00+02:00'" in result.stderr


def test_an_option_without_its_value_is_a_usage_error_in_json_too(program: Program) -> None:
    result = program("verify", "-o", "json", "--queue")
    assert (result.code, result.document["command"]) == (2, "verify")
