"""The alert rules that come with the tool: they parse, and speak of nothing that the metrics file does not hold."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.render.metrics import METRICS, PREFIX
from stovepipe_cli.reports import Severity, Verdict

FILE = Path(__file__).resolve().parents[2] / "docs" / "alerts.yml"
ALERTS: list[dict[str, Any]] = [rule for group in yaml.safe_load(FILE.read_text())["groups"] for rule in group["rules"]]
BY_NAME = {rule["alert"]: rule for rule in ALERTS}
_SELECTOR = re.compile(r"(stovepipe_\w+)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'\s*(\w+)(=~|!~|!=|=)"([^"]*)"\s*(?:,|$)')

every = pytest.mark.parametrize("rule", ALERTS, ids=list(BY_NAME))


def matchers(rule: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Metric, label, operator and value of every condition on a label."""
    found = []
    for name, conditions in _SELECTOR.findall(rule["expr"]):
        rest = re.sub(_MATCHER, "", conditions)
        assert not rest.strip(), f"cannot read {rest!r}"
        found += [(name.removeprefix(PREFIX), *match) for match in _MATCHER.findall(conditions)]
    return found


@every
def test_a_rule_has_the_parts_that_prometheus_knows(rule: dict[str, Any]) -> None:
    assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
    assert re.fullmatch(r"[0-9]+[smhd]", rule["for"])
    assert rule["expr"].count("(") == rule["expr"].count(")")
    assert rule["labels"]["severity"] in {"warning", "critical"}
    assert set(rule["annotations"]) == {"summary", "action"}


@every
def test_a_rule_names_metrics_that_are_written(rule: dict[str, Any]) -> None:
    names = [name for name, _ in _SELECTOR.findall(rule["expr"])]
    assert names
    assert {name.removeprefix(PREFIX) for name in names} <= set(METRICS)


@every
def test_a_rule_names_labels_that_the_metric_has(rule: dict[str, Any]) -> None:
    for metric, label, _, _ in matchers(rule):
        assert label in {"queue", "scope", *METRICS[metric][1]}


@every
def test_a_rule_looks_at_whole_queues_alone(rule: dict[str, Any]) -> None:
    metrics = {metric for metric, _, _, _ in matchers(rule)}
    assert {
        metric for metric, label, sign, value in matchers(rule) if (label, sign, value) == ("scope", "=", "")
    } == metrics


def test_values_of_labels_are_ones_that_are_written() -> None:
    known = {"verdict": set(get_args(Verdict)), "severity": set(get_args(Severity)), "known": {"true", "false"}}
    for rule in ALERTS:
        for _, label, _, value in matchers(rule):
            if label in known:
                assert set(value.split("|")) <= known[label]


def test_gaps_are_the_rules_that_something_repairs_and_conflicts_are_the_others() -> None:
    repaired = {code for code, rule in RULES.items() if rule.repaired_by is not None}
    for alert, sign in (("StovepipeHistoryGaps", "=~"), ("StovepipeHistoryConflicts", "!~")):
        (codes,) = [value for _, label, found, value in matchers(BY_NAME[alert]) if (label, found) == ("code", sign)]
        assert {code for code in RULES if re.fullmatch(codes, code)} == repaired


def test_gaps_conflicts_and_stale_audits_have_an_alert() -> None:
    assert {"StovepipeHistoryGaps", "StovepipeHistoryConflicts", "StovepipeAuditStale"} <= set(BY_NAME)
