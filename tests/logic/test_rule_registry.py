"""The registry: every rule explains itself, and is chosen by code or prefix."""

import pytest

from stovepipe_cli.audit.catalogue import explain_rule, list_rules
from stovepipe_cli.audit.rules import MISSING_RULES, RULES, select_codes
from stovepipe_cli.errors import UsageError
from stovepipe_cli.storage.contract.tables import TABLES

# Codes are stable for ever: a change here breaks the scripts of operators.
NAMES = {
    "H101": "history-missing",
    "H102": "current-state-missing",
    "H103": "accepted-missing",
    "H104": "earlier-state-missing",
    "H105": "state-mismatch",
    "H106": "history-ahead",
    "H107": "version-duplicated",
    "H108": "illegal-transition",
    "H109": "orphan-history",
    "H110": "entry-id-mismatch",
    "H111": "entry-invalid",
    "H112": "vocabulary-unknown",
    "H113": "time-order",
    "H114": "key-not-byte-equal",
    "H115": "metadata-invalid",
    "H116": "history-oversized",
    "H117": "metadata-sensitive",
    "H118": "history-boundary-moved",
    "E201": "build-triggered-missing",
    "E202": "build-finished-missing",
    "E203": "build-finished-early",
    "E204": "build-unknown",
    "E205": "build-foreign",
    "E206": "fact-event-missing",
    "E207": "fact-event-mismatch",
    "E208": "fact-unexpected",
    "E209": "fact-missing",
    "E210": "verdict-missing",
    "E211": "outcome-contradicts-build",
    "E212": "project-counts-mismatch",
    "P301": "summary-missing",
    "P302": "summary-behind",
    "P303": "summary-ahead",
    "P304": "summary-mismatch",
    "P305": "accepted-at-mismatch",
    "P306": "accepted-at-unset",
    "P307": "project-results-mismatch",
    "A401": "acceptance-missing",
    "A402": "acceptance-dangling",
    "A403": "acceptance-mismatch",
    "A404": "acceptance-duplicated",
    "U501": "uri-mapping-missing",
    "U502": "uri-mapping-dangling",
    "U503": "uri-mapping-mismatch",
    "Q601": "queue-row-missing",
    "Q602": "latest-request-wrong",
    "Q603": "last-green-unproven",
    "Q604": "in-flight-drift",
    "Q605": "queue-summary-drift",
    "Q606": "request-id-forms-mixed",
    "I701": "open-issue-unlogged",
    "I702": "open-issue-unobserved",
    "I703": "open-issue-resolved",
    "D801": "degree-mapping-missing",
    "D802": "degree-mapping-dangling",
    "D803": "degree-mapping-mismatch",
}
WARNINGS = {"H110", "H113", "H116", "H117", "E210", "P306", "U502", "Q602", "Q604", "Q606", "I702", "I703"}
NOTES = {"H112", "I701", "D801"}


def test_codes_and_names_are_what_they_always_were() -> None:
    assert {code: rule.name for code, rule in RULES.items()} == NAMES
    assert list(RULES) == list(NAMES)


def test_severities_are_what_they_always_were() -> None:
    assert {code for code, rule in RULES.items() if rule.severity == "warning"} == WARNINGS
    assert {code for code, rule in RULES.items() if rule.severity == "info"} == NOTES


@pytest.mark.parametrize("code", NAMES)
def test_a_rule_explains_itself_in_a_paragraph(code: str) -> None:
    rule = RULES[code]
    assert len(rule.explanation) > 120
    assert "\n" not in rule.explanation
    assert rule.explanation.endswith(".")
    assert set(rule.tables) <= set(TABLES)
    assert rule.passes


def test_missing_rules_are_rules() -> None:
    assert set(RULES) >= MISSING_RULES


def test_everything_is_chosen_unless_something_is() -> None:
    assert select_codes() == frozenset(RULES)


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        (("H101",), (), {"H101"}),
        (("a",), (), {"A401", "A402", "A403", "A404"}),
        (("H10", "U501"), ("H101", "H102"), {"H103", "H104", "H105", "H106", "H107", "H108", "H109", "U501"}),
        ((), ("H", "E", "P", "A", "Q", "I", "D"), {"U501", "U502", "U503"}),
    ],
)
def test_rules_are_chosen_by_code_and_prefix(
    select: tuple[str, ...], ignore: tuple[str, ...], expected: set[str]
) -> None:
    assert select_codes(select, ignore) == expected


@pytest.mark.parametrize("prefix", ["X", "H9", "H1011", "", "history-missing"])
def test_an_unknown_prefix_is_a_usage_error(prefix: str) -> None:
    with pytest.raises(UsageError, match=f"no rule has the code or prefix '{prefix}'"):
        select_codes((prefix,))


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(UsageError) as caught:
        select_codes((), ("U5011",))
    assert caught.value.hint == "did you mean 'U501'? see 'stovepipe rules list'"


def test_nothing_left_to_check_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no rule is left"):
        select_codes(("H101",), ("H",))


def test_the_catalogue_lists_every_rule() -> None:
    assert [item.code for item in list_rules().items] == list(RULES)


@pytest.mark.parametrize("name", ["h101", "H101", "history-missing"])
def test_a_rule_is_explained_by_code_or_name(name: str) -> None:
    report = explain_rule(name)
    assert (report.code, report.repaired_by, report.explanation) == ("H101", "repair", RULES["H101"].explanation)


def test_an_unknown_rule_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no rule is called 'H999'"):
        explain_rule("H999")
