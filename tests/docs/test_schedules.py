"""The schedules that the runbook shows for cron, systemd and Kubernetes: they parse, and run as it says."""

import configparser
import json
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from stovepipe_cli.fixtures_io.bundled import bundled_content
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.fixtures_io.scenario_reader import read_scenario
from stovepipe_cli.instants import parse_duration
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Program
from tests.docs.test_commands import RUNBOOK, parse

QUEUE = "monorepo/main"
EVERY_MS = 30 * 60_000
METRICS, STATE, CONFIGURATION = "/var/lib/node_exporter", "/var/lib/stovepipe", "/etc/stovepipe"

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_UNIT_SPAN = re.compile(r"([0-9]+)min")


def block(heading: str, place: int = 0) -> str:
    """A code block below a heading of the page."""
    _, _, text = RUNBOOK.read_text().partition(f"\n### {heading}\n")
    found = _BLOCK.findall(re.split(r"^##", text, maxsplit=1, flags=re.MULTILINE)[0])
    return str(found[place][1])


def unit(place: int) -> configparser.ConfigParser:
    """A unit file; a key that comes twice is refused, as is a line that is none."""
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # the documented way to keep the case of keys
    parser.read_string(block("systemd", place))
    return parser


def cron_line() -> tuple[str, str]:
    """The five fields of the schedule, and the command."""
    (line,) = [each for each in block("cron").splitlines() if not re.match(r"[A-Z]+=", each)]
    *fields, command = line.split(maxsplit=5)
    return " ".join(fields), command


def job() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(block("Kubernetes"))
    return read


def pod() -> dict[str, Any]:
    found: dict[str, Any] = job()["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    return found


def container() -> dict[str, Any]:
    (only,) = pod()["containers"]
    found: dict[str, Any] = only
    return found


def cron_words() -> list[str]:
    return shlex.split(cron_line()[1])


def service_words() -> list[str]:
    return shlex.split(unit(0)["Service"]["ExecStart"])


def container_words() -> list[str]:
    return [str(word) for word in container()["command"]]


def service_environment() -> dict[str, str]:
    return dict(each.split("=", 1) for each in shlex.split(unit(0)["Service"]["Environment"]))


def container_environment() -> dict[str, str]:
    return {each["name"]: each["value"] for each in container()["env"]}


Words = Callable[[], list[str]]
SCHEDULERS: Mapping[str, tuple[Words, Callable[[], dict[str, str]]]] = {
    "cron": (cron_words, dict),
    "systemd": (service_words, service_environment),
    "kubernetes": (container_words, container_environment),
}
every = pytest.mark.parametrize("scheduler", SCHEDULERS)


def run_time_ms(words: list[str]) -> int:
    return parse_duration(words[words.index("--run-time") + 1])


@every
def test_its_command_is_one_that_the_program_takes(scheduler: str) -> None:
    words = SCHEDULERS[scheduler][0]()
    assert Path(words[0]).name == "stovepipe"
    parse(shlex.join(["stovepipe", *words[1:]]))


@every
def test_its_command_ends_before_the_next_one_begins(scheduler: str) -> None:
    assert run_time_ms(SCHEDULERS[scheduler][0]()) < EVERY_MS


@every
def test_no_secret_is_in_it(scheduler: str) -> None:
    words, environment = SCHEDULERS[scheduler]
    assert not re.search(r"(?i)password|token|://", " ".join([*words(), *environment().values()]))


def test_cron_runs_it_twice_an_hour_and_finds_it_without_a_path() -> None:
    fields, command = cron_line()
    assert fields == "*/30 * * * *"
    assert command.startswith("/")
    # To cron a percent sign is the end of the line.
    assert "%" not in command


def test_the_service_is_of_one_shot_and_may_take_longer_than_the_command() -> None:
    service = unit(0)["Service"]
    limit = _UNIT_SPAN.fullmatch(service["TimeoutStartSec"])
    assert limit is not None
    assert service["Type"] == "oneshot"
    assert run_time_ms(service_words()) < int(limit[1]) * 60_000 < EVERY_MS


def test_the_service_writes_where_its_sandbox_lets_it() -> None:
    service, words = unit(0)["Service"], service_words()
    assert service["ProtectSystem"] == "strict"
    writable = {f"/var/lib/{service['StateDirectory']}", *service["ReadWritePaths"].split()}
    written = {str(Path(words[words.index(name) + 1]).parent) for name in ("--output-file", "--metrics-file")}
    assert written == writable == {STATE, METRICS}


def test_the_timer_starts_the_service_twice_an_hour_and_makes_up_for_a_night_off() -> None:
    timer = unit(1)
    assert timer["Timer"]["OnCalendar"] == "*:0/30"
    assert timer["Timer"].getboolean("Persistent")
    assert timer["Install"]["WantedBy"] == "timers.target"
    # Without Unit= it starts the service of its own name.
    assert "Unit" not in timer["Timer"]
    names = re.findall(r"/etc/systemd/system/([\w-]+)\.(service|timer)", RUNBOOK.read_text())
    assert sorted(names) == [("stovepipe-verify", "service"), ("stovepipe-verify", "timer")]


def test_the_job_is_never_run_beside_itself_nor_again_at_once() -> None:
    spec = job()["spec"]
    assert (job()["apiVersion"], job()["kind"]) == ("batch/v1", "CronJob")
    assert spec["schedule"] == "*/30 * * * *"
    assert spec["concurrencyPolicy"] == "Forbid"
    assert spec["jobTemplate"]["spec"]["backoffLimit"] == 0
    assert pod()["restartPolicy"] == "Never"


def test_the_job_may_take_longer_than_the_command_and_is_over_before_the_next() -> None:
    deadline = job()["spec"]["jobTemplate"]["spec"]["activeDeadlineSeconds"]
    assert run_time_ms(container_words()) < deadline * 1000 < EVERY_MS


def test_the_container_writes_to_nothing_but_a_directory_of_its_own() -> None:
    security = container()["securityContext"]
    assert security["readOnlyRootFilesystem"] is True
    assert security["allowPrivilegeEscalation"] is False
    assert pod()["securityContext"]["runAsNonRoot"] is True
    writable = {each["name"] for each in container()["volumeMounts"] if not each.get("readOnly")}
    assert {each["name"] for each in pod()["volumes"] if "emptyDir" in each} == writable
    assert {each["mountPath"] for each in container()["volumeMounts"]} == {CONFIGURATION, "/tmp"}  # noqa: S108 - the pod's


def test_the_profile_is_a_secret_that_only_its_group_can_read() -> None:
    (secret,) = [each["secret"] for each in pod()["volumes"] if "secret" in each]
    assert secret["defaultMode"] == 0o440
    assert "fsGroup" in pod()["securityContext"]


@pytest.fixture
def scheduled(tmp_path: Path) -> Callable[[str, str], tuple[Program, list[str]]]:
    """The program on a queue that holds a scenario, and a scheduler's command with this test's directories."""

    def prepared(scheduler: str, scenario: str) -> tuple[Program, list[str]]:
        words, environment = SCHEDULERS[scheduler]
        moved = {each: str(tmp_path / Path(each).name) for each in (METRICS, STATE, CONFIGURATION)}
        for each in moved.values():
            Path(each).mkdir(exist_ok=True)
        database = tmp_path / "main.db"
        content = bundled_content(scenario).replace(b"queue: demo/main", f"queue: {QUEUE}".encode())
        with open_storage(f"sqlite:///{database}") as factory:
            factory.admin.create_tables()
            load_scenario(factory.for_queue(QUEUE), read_scenario(content, scenario), into_existing=False)
        configuration = Path(moved[CONFIGURATION]) / "config.yaml"
        configuration.write_text(f"profiles:\n  prod:\n    database_url: sqlite:///{database}\n    ledger_url: none\n")
        configuration.chmod(0o600)
        environ = {"STOVEPIPE_CONFIG": f"{CONFIGURATION}/config.yaml"} | environment()
        home = tmp_path / "home"
        home.mkdir()
        program = Program(home, {name: of(value, moved) for name, value in environ.items()})
        return program, [of(word, moved) for word in words()[1:]]

    return prepared


def of(text: str, moved: Mapping[str, str]) -> str:
    for before, after in moved.items():
        text = text.replace(before, after)
    return text


@pytest.mark.parametrize("scheduler", ["cron", "systemd"])
def test_it_is_silent_where_the_queue_is_clean(
    scheduled: Callable[[str, str], tuple[Program, list[str]]], scheduler: str, tmp_path: Path
) -> None:
    program, argv = scheduled(scheduler, "healthy")
    result = program(*argv)
    assert (result.code, result.stdout, result.stderr) == (0, "", "")
    assert json.loads((tmp_path / "stovepipe" / "verify.json").read_text())["verdict"] == "clean"
    assert "stovepipe_verify_last_success" in (tmp_path / "node_exporter" / "stovepipe.prom").read_text()


@pytest.mark.parametrize("scheduler", ["cron", "systemd"])
def test_it_says_one_line_where_something_is_wrong(
    scheduled: Callable[[str, str], tuple[Program, list[str]]], scheduler: str, tmp_path: Path
) -> None:
    program, argv = scheduled(scheduler, "u501")
    result = program(*argv)
    assert (result.code, result.stdout) == (3, "")
    assert result.stderr.splitlines() == ["stovepipe: verify ended with 'findings', exit code 3"]
    assert json.loads((tmp_path / "stovepipe" / "verify.json").read_text())["verdict"] == "findings"


@pytest.mark.parametrize(("scenario", "code", "verdict"), [("healthy", 0, "clean"), ("u501", 3, "findings")])
def test_the_log_of_the_pod_is_one_document(
    scheduled: Callable[[str, str], tuple[Program, list[str]]], scenario: str, code: int, verdict: str
) -> None:
    program, argv = scheduled("kubernetes", scenario)
    result = program(*argv)
    assert (result.code, result.document["verdict"]) == (code, verdict)
