"""The pytest plugin in test suites of its own, each run by a pytest of its own that finds it by its entry point."""

import tomllib
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CHECKOUT = Path(__file__).resolve().parents[2]
STRICT = "[pytest]\nstrict = true\nfilterwarnings = error\n"

# What a run of the suite inside printed, and how many tests ended in which way.
RunTests = Callable[..., pytest.RunResult]


def entry_points() -> str:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    points: dict[str, str] = project["entry-points"]["pytest11"]
    return "[pytest11]\n" + "".join(f"{name} = {module}\n" for name, module in points.items())


@pytest.fixture
def run_tests(pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunTests:
    """Runs a module of tests in a process whose path has the package and what an installer writes of it."""
    installed = tmp_path / "installed"
    metadata = installed / "stovepipe_cli-0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stovepipe-cli\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text(entry_points())
    monkeypatch.setenv("PYTHONPATH", f"{installed}:{CHECKOUT}")

    def run(module: str, *argv: str, ini: str = "") -> pytest.RunResult:
        pytester.makefile(".ini", pytest=STRICT + ini)
        pytester.makepyfile(module)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *argv)

    return run


def test_a_test_gets_a_queue_that_the_healthy_scenario_fills(run_tests: RunTests) -> None:
    result = run_tests(
        """
        def test_latest(stovepipe_storage):
            assert stovepipe_storage.queue == "demo/main"
            latest = stovepipe_storage.queues.get().latest_request_id
            assert stovepipe_storage.requests.get(latest).id == latest
        """
    )
    result.assert_outcomes(passed=1)


def test_each_test_has_a_queue_of_its_own(run_tests: RunTests) -> None:
    result = run_tests(
        """
        import pytest
        from stovepipe_cli.entities import Request

        def on(name):
            return pytest.param(name, marks=pytest.mark.stovepipe(scenario=None, backend=name))

        @pytest.mark.parametrize("backend", [on("memory"), on("sqlite")])
        @pytest.mark.parametrize("number", [1, 2])
        def test_create(backend, number, stovepipe_storage):
            stovepipe_storage.requests.create(
                Request(queue=stovepipe_storage.queue, id="7", uri="git://x/1", state="accepted", version=1)
            )
        """
    )
    result.assert_outcomes(passed=4)


def test_a_marker_names_the_scenario_and_the_backend(run_tests: RunTests) -> None:
    result = run_tests(
        """
        import pytest
        from pathlib import Path

        @pytest.mark.stovepipe(scenario="h102", backend="sqlite")
        class TestMarked:
            def test_file(self, stovepipe_storage, stovepipe_url, stovepipe_scenario):
                assert Path(stovepipe_url.removeprefix("sqlite:///")).is_file()
                assert {each.code for each in stovepipe_scenario.expectation.findings} == {"H102"}

            @pytest.mark.stovepipe(backend="memory")
            def test_nearer(self, stovepipe_url, stovepipe_scenario):
                assert stovepipe_url == "memory://"
                assert stovepipe_scenario.source == "h102.yaml"

        @pytest.mark.stovepipe(scenario=None, queue="mine/main")
        def test_empty(stovepipe_storage, stovepipe_factory):
            assert stovepipe_storage.queue == "mine/main"
            assert stovepipe_factory.directory.list_after(None, 10) == ()
        """
    )
    result.assert_outcomes(passed=3)


def test_a_command_finds_the_file_of_a_test(run_tests: RunTests) -> None:
    result = run_tests(
        """
        import os, pytest, subprocess, sys

        @pytest.mark.stovepipe(scenario="h102", backend="sqlite")
        def test_verify(stovepipe_storage, stovepipe_url, tmp_path):
            scope = ["--database-url", stovepipe_url, "-q", stovepipe_storage.queue]
            environ = {**os.environ, "HOME": str(tmp_path)}
            command = [sys.executable, "-m", "stovepipe_cli", *scope, "verify", "--settle", "0"]
            assert subprocess.run(command, env=environ).returncode == 3
        """
    )
    result.assert_outcomes(passed=1)


def test_a_scenario_of_ones_own_lies_beside_the_test(run_tests: RunTests, pytester: pytest.Pytester) -> None:
    (pytester.path / "mine.yaml").write_text("format: 1\nqueue: mine/main\n")
    result = run_tests(
        """
        import pytest

        @pytest.mark.stovepipe(scenario="mine.yaml")
        def test_mine(stovepipe_storage):
            assert stovepipe_storage.queue == "mine/main"
        """
    )
    result.assert_outcomes(passed=1)


WHERE = """
    def test_where(stovepipe_storage, stovepipe_url, stovepipe_scenario):
        print(f"{stovepipe_url[:6]} {stovepipe_scenario.source.rpartition('/')[2]}")
"""


@pytest.mark.parametrize(
    ("ini", "argv", "told"),
    [
        ("", (), "memory healthy.yaml"),
        ("stovepipe_backend = sqlite\nstovepipe_scenario = own.yaml\n", (), "sqlite own.yaml"),
        (
            "stovepipe_backend = sqlite\n",
            ("--stovepipe-backend=memory", "--stovepipe-scenario=demo"),
            "memory demo.yaml",
        ),
    ],
)
def test_what_no_marker_says_the_option_says_and_then_the_configuration(
    ini: str, argv: tuple[str, ...], told: str, run_tests: RunTests, pytester: pytest.Pytester
) -> None:
    (pytester.path / "own.yaml").write_text("format: 1\nqueue: mine/main\n")
    result = run_tests(WHERE, "-s", *argv, ini=ini)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"*{told}*"])


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("scenario='helthy'", "*stovepipe: '*helthy' cannot be read: No such file or directory*"),
        ("scenario='bad.yaml'", "*stovepipe: *bad.yaml:2: a scenario has no 'queu'*"),
        ("backend='oracle'", "*stovepipe: there is no backend 'oracle'; use memory or sqlite"),
        ("scenrio='demo'", "*stovepipe: the marker does not take 'scenrio'; use scenario, backend, queue"),
        ("'demo'", "*stovepipe: the marker does not take an argument without a name; *"),
        ("queue='mine'", "*stovepipe: the scenario 'healthy' has a queue of its own; leave 'queue' out*"),
    ],
)
def test_what_cannot_be_meant_is_an_error_of_the_test_in_one_line(
    marker: str, message: str, run_tests: RunTests, pytester: pytest.Pytester
) -> None:
    (pytester.path / "bad.yaml").write_text("format: 1\nqueu: q\n")
    result = run_tests(
        f"""
        import pytest

        @pytest.mark.stovepipe({marker})
        def test_it(stovepipe_storage):
            pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_the_database_is_closed_after_the_test(run_tests: RunTests) -> None:
    result = run_tests(
        """
        import pytest

        kept = []

        @pytest.mark.stovepipe(backend="sqlite")
        def test_first(stovepipe_factory, stovepipe_storage):
            stovepipe_storage.queues.get()
            kept.append(stovepipe_factory)

        def test_second():
            assert kept[0].checked_out() == 0
        """
    )
    result.assert_outcomes(passed=2)


def test_the_database_can_be_one_of_ones_own(run_tests: RunTests) -> None:
    result = run_tests(
        """
        import pytest

        @pytest.fixture
        def stovepipe_url(tmp_path):
            return f"sqlite:///{tmp_path / 'mine.db'}"

        def test_mine(stovepipe_storage, tmp_path):
            assert stovepipe_storage.queues.get().latest_request_id
            assert (tmp_path / "mine.db").is_file()
        """
    )
    result.assert_outcomes(passed=1)


def test_a_suite_that_asks_for_nothing_loads_nothing(run_tests: RunTests) -> None:
    result = run_tests(
        """
        import sys

        def test_loaded():
            ours = {name for name in sys.modules if name.partition(".")[0] == "stovepipe_cli"}
            assert ours == {"stovepipe_cli", "stovepipe_cli.pytest_plugin"}
            assert not {"sqlalchemy", "yaml", "typer", "rich", "pymysql"} & set(sys.modules)
        """
    )
    result.assert_outcomes(passed=1)


def test_pytest_tells_of_the_marker_the_options_and_the_fixtures(run_tests: RunTests) -> None:
    result = run_tests("", "--markers", "--fixtures")
    result.stdout.fnmatch_lines(["@pytest.mark.stovepipe(scenario=NAME or FILE or None, *"])
    result = run_tests("", "--fixtures")
    result.stdout.fnmatch_lines(["stovepipe_storage -- *", "*A queue of the test's own, filled by its scenario*"])
    result = run_tests("", "--help")
    result.stdout.fnmatch_lines(
        ["Stovepipe storage:", "*--stovepipe-backend=BACKEND*", "*--stovepipe-scenario=SCENARIO*"]
    )


def test_the_installed_package_offers_the_plugin() -> None:
    try:
        installed = distribution("stovepipe-cli")
    except PackageNotFoundError:
        pytest.skip("the package is not installed, only on the path")
    offered = {(point.name, point.value) for point in installed.entry_points if point.group == "pytest11"}
    assert offered == {("stovepipe", "stovepipe_cli.pytest_plugin")}, "install the checkout again: make venv"
