"""The page about fixtures: its scenario gives what it says, its workflow runs, and its plugin is the one there is."""

import ast
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from stovepipe_cli import pytest_plugin
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.fixtures_io.scenario_reader import read_scenario
from stovepipe_cli.fixtures_io.yaml_document import MAX_BYTES
from stovepipe_cli.storage.memory import MemoryFactory
from tests.cli.running import Process
from tests.support.audits import check

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fixtures.md"
HEALTHY = "format: 1\nqueue: monorepo/main\nlifecycles: [{number: 1, outcome: succeeded, accepted_at: 1767268800000}]\n"


def blocks(kind: str) -> list[str]:
    found: list[str] = re.findall(rf"^```{kind}\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return found


@pytest.fixture
def workflow() -> dict[str, Any]:
    (found,) = (yaml.safe_load(block) for block in blocks("yaml") if "jobs:" in block)
    assert isinstance(found, dict)
    return found


def test_the_shortest_scenario_has_the_finding_that_the_page_names() -> None:
    scenario = read_scenario(blocks("yaml")[0].encode(), "scenario.yaml")
    storage = MemoryFactory().for_queue(scenario.queue)
    load_scenario(storage, scenario, into_existing=False)
    assert [finding.code for finding in check(storage, min_age_ms=0).findings] == ["H102"]
    assert "# ends with 3: H102" in PAGE.read_text()


def test_the_workflow_is_one_that_github_takes(workflow: dict[str, Any]) -> None:
    # YAML 1.1 reads the key `on` as a truth.
    assert set(workflow) == {"name", True, "jobs"}
    (job,) = workflow["jobs"].values()
    assert set(job) == {"runs-on", "env", "steps"}
    assert all(
        set(step) <= {"uses", "with", "run", "if"} and ("uses" in step) != ("run" in step) for step in job["steps"]
    )
    assert [step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step] == [
        "actions/checkout",
        "actions/setup-python",
        "actions/upload-artifact",
    ]


def test_the_steps_of_the_workflow_run_and_end_well(workflow: dict[str, Any], tmp_path: Path) -> None:
    (job,) = workflow["jobs"].values()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "histories.yaml").write_text(HEALTHY)
    process = Process(tmp_path)
    commands = [step["run"] for step in job["steps"] if step.get("run", "").startswith("stovepipe ")]
    assert [command.split()[1] for command in commands] == ["db", "fixtures", "verify"]
    for command in commands:
        result = process(*shlex.split(command)[1:], environ=job["env"])
        assert (result.code, command) == (0, command), result.stderr
    (uploaded,) = (step["with"]["path"] for step in job["steps"] if "upload" in step.get("uses", ""))
    assert (tmp_path / uploaded).is_file()


def test_the_fixtures_of_the_page_are_those_of_the_plugin() -> None:
    told = set(re.findall(r"^\| `(stovepipe_\w+)` \|", PAGE.read_text(), re.MULTILINE))
    block, override = blocks("python")
    assert [node.name for node in ast.parse(override).body if isinstance(node, ast.FunctionDef)] == ["stovepipe_url"]
    offered = {name for name in vars(pytest_plugin) if name.startswith("stovepipe_")}
    asked = {
        argument.arg
        for function in ast.walk(ast.parse(block))
        if isinstance(function, ast.FunctionDef)
        for argument in function.args.args
    }
    assert told == offered
    assert asked <= offered


def test_the_defaults_of_the_page_are_those_of_the_plugin() -> None:
    text = PAGE.read_text()
    for name, default in (
        ("backend", pytest_plugin.DEFAULT_BACKEND),
        ("scenario", pytest_plugin.DEFAULT_SCENARIO),
    ):
        line = rf"^\| `{name}=` \| `--stovepipe-{name}` \| `stovepipe_{name}` \| `{default}`"
        assert re.search(line, text, re.MULTILINE)
    assert f"| `{pytest_plugin.EMPTY_QUEUE}`; only" in text
    assert all(f"`{backend}`" in text for backend in pytest_plugin.BACKENDS)


def test_the_limit_of_the_page_is_the_one_of_the_reader() -> None:
    assert f"{MAX_BYTES // 2**20} MiB" in PAGE.read_text()
