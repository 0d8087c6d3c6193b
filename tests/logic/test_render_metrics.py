"""The metrics textfile: text that the library reads back as it was meant, merged with what was there."""

from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from stovepipe_cli.errors import Refused
from stovepipe_cli.render.audit_run import AuditRun
from stovepipe_cli.render.metrics import METRICS, PREFIX, metrics_text, queue_label, queues_in, require_mergeable
from tests.support.hostile import HOSTILE, hostile_run

RUN = replace(hostile_run("x"), queue="q", scope="")


def samples(text: str) -> list[tuple[str, dict[str, str], float, object]]:
    return [
        (each.name, dict(each.labels), each.value, each.timestamp)
        for family in text_string_to_metric_families(text)
        for each in family.samples
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_queue_and_a_scope_of_any_name_are_read_back(text: str) -> None:
    written = metrics_text([replace(RUN, queue=text, scope="since 7d")], "", merge=False)
    assert {labels["queue"] for _, labels, _, _ in samples(written)} == {queue_label(text)}
    assert queues_in(written) == (queue_label(text),)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_file_that_was_written_can_be_written_again(text: str) -> None:
    run = replace(RUN, queue=text)
    once = metrics_text([run], "", merge=False)
    assert metrics_text([run], once, merge=False) == once


def test_samples_carry_no_times_and_every_metric_is_announced() -> None:
    written = metrics_text([RUN], "", merge=False)
    assert all(timestamp is None for _, _, _, timestamp in samples(written))
    assert {name for name, _, _, _ in samples(written)} == {PREFIX + name for name in METRICS}


def test_exactly_one_verdict_holds() -> None:
    verdicts = [
        (labels["verdict"], value)
        for name, labels, value, _ in samples(metrics_text([RUN], "", merge=False))
        if name == PREFIX + "verdict"
    ]
    assert sorted(verdicts) == [("clean", 0), ("error", 0), ("findings", 1), ("incomplete", 0)]


def test_known_findings_are_counted_apart() -> None:
    counts = [
        (labels["code"], labels["severity"], labels["known"], value)
        for name, labels, value, _ in samples(metrics_text([RUN], "", merge=False))
        if name == PREFIX + "findings"
    ]
    assert sorted(counts) == [
        ("H102", "error", "false", 1),
        ("H110", "warning", "false", 1),
        ("H112", "info", "true", 1),
    ]


def test_what_an_earlier_run_found_is_gone_with_the_next() -> None:
    assert RUN.report is not None
    clean = replace(RUN, report=replace(RUN.report, counts={}, known={}))
    written = metrics_text([clean], metrics_text([RUN], "", merge=False), merge=False)
    assert not [name for name, _, _, _ in samples(written) if name == PREFIX + "findings"]


def test_a_failure_before_any_queue_was_known_is_told_and_forgotten_once_one_is() -> None:
    failed = metrics_text([AuditRun("", "", 5_000, 6)], "", merge=False)
    assert (PREFIX + "last_run_timestamp_seconds", {"queue": "", "scope": ""}, 5.0, None) in samples(failed)
    require_mergeable(failed, ["q"], merge=False)
    assert queues_in(metrics_text([RUN], failed, merge=False)) == ("q",)
    assert '{queue=""' not in metrics_text([RUN], failed, merge=False)


@pytest.mark.parametrize(
    "text",
    ["node_load1 1\n", "nonsense {", "stovepipe_verify_verdict 1\n", 'stovepipe_verify_other{queue="q",scope=""} 1\n'],
)
def test_text_that_is_not_ours_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        metrics_text([RUN], text, merge=True)


def test_other_queues_are_named_when_they_are_in_the_way() -> None:
    others = "".join(f'stovepipe_verify_exit_code{{queue="o{n}",scope=""}} 0\n' for n in range(5))
    with pytest.raises(Refused) as caught:
        metrics_text([RUN], others, merge=False)
    assert caught.value.message == "the metrics file holds other queues: 'o0', 'o1', 'o2', …"
    assert len(queues_in(metrics_text([RUN], others, merge=True))) == 6
