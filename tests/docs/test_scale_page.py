"""The page on scale: its jobs parse and run what they say, its table follows from its rates, its tests exist."""

import math
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from stovepipe_cli.instants import parse_duration
from stovepipe_cli.storage.contract.tables import TABLES
from stovepipe_cli.storage.ledger.tables import LEDGER_TABLES
from tests.docs.test_commands import parse

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scale.md"
TEXT = PAGE.read_text()
JOBS: list[dict[str, Any]] = [
    yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
]
WORKERS, SHARDS = JOBS


def container(job: dict[str, Any]) -> dict[str, Any]:
    (only,) = job["spec"]["template"]["spec"]["containers"]
    found: dict[str, Any] = only
    return found


def numbers(line: str) -> list[float]:
    return [float(each.replace(",", "")) for each in re.findall(r"[\d,]*\d(?:\.\d+)?", line)]


@pytest.mark.parametrize("job", JOBS)
def test_a_job_is_indexed_and_mounts_the_volumes_it_has(job: dict[str, Any]) -> None:
    assert (job["apiVersion"], job["kind"], job["spec"]["completionMode"]) == ("batch/v1", "Job", "Indexed")
    volumes = {volume["name"] for volume in job["spec"]["template"]["spec"]["volumes"]}
    assert {mount["name"] for mount in container(job)["volumeMounts"]} == volumes


def test_the_pods_of_the_first_job_work_at_the_run_that_they_are_given() -> None:
    own = container(WORKERS)
    environ = {each["name"]: each["value"] for each in own["env"]}
    words = [re.sub(r"\$\((\w+)\)", lambda name: environ[name[1]], str(word)) for word in own["command"]]
    parse(shlex.join(words))
    assert words[1:4] == ["runs", "work", environ["RUN_ID"]]
    run_time = words[words.index("--run-time") + 1]
    assert parse_duration(run_time) < WORKERS["spec"]["activeDeadlineSeconds"] * 1000


@pytest.mark.parametrize("index", [0, 15])
def test_the_shards_of_the_second_job_are_all_there_are(index: int) -> None:
    (script,) = container(SHARDS)["args"]
    line = script.removeprefix("exec ").replace("$((JOB_COMPLETION_INDEX + 1))", str(index + 1))
    assert "$" not in line
    parse(line)
    shard = re.search(r"--shard (\d+)/(\d+)", line)
    assert shard is not None
    assert (int(shard[1]), int(shard[2])) == (index + 1, SHARDS["spec"]["completions"])


def test_the_table_of_hours_follows_from_the_rates() -> None:
    rates = [
        numbers(line)[-1] for line in re.findall(r"^\| (?:verify|backfill acceptances), one.*$", TEXT, re.MULTILINE)
    ]
    share = re.search(r"A further worker is reckoned at (\d\.\d+) of", TEXT)
    assert share is not None
    rows = [numbers(line) for line in re.findall(r"^\| [\d,]+ \|.*$", TEXT, re.MULTILINE)]
    assert len(rows) >= 4
    for requests, *hours in rows:
        expected = [
            math.ceil(requests / (rate * (1 + float(share[1]) * (workers - 1)) * 3_600) * 10) / 10
            for rate in rates
            for workers in (1, 2, 4)
        ]
        assert hours == expected


def test_every_table_but_the_one_that_is_named_leads_its_key_with_the_queue() -> None:
    assert {table.name for table in TABLES.values() if table.key[0] != table.queue_column} == set()
    assert {each.table.name for each in LEDGER_TABLES.values() if each.table.key[0] != "queue"} == {"ledger_meta"}
    assert "`ledger_meta`" in TEXT
