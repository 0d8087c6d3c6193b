"""Storage for other projects' tests: a queue in memory or in an SQLite file, filled by a scenario.

Loaded by pytest through its entry point in every run, so all but pytest is imported once a test asks for a fixture.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from stovepipe_cli.fixtures_io.scenario import Scenario
    from stovepipe_cli.storage.contract import Storage, StorageFactory

MARKER = "stovepipe"
BACKENDS = ("memory", "sqlite")
DEFAULT_BACKEND, DEFAULT_SCENARIO, EMPTY_QUEUE = "memory", "healthy", "monorepo/main"

_ARGUMENTS = ("scenario", "backend", "queue")
_HELP = f"{MARKER}(scenario=NAME or FILE or None, backend=memory or sqlite, queue=NAME): what stovepipe_storage holds"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take defaults for all tests from the command line, else from the configuration file."""
    group = parser.getgroup(MARKER, "Stovepipe storage")
    for name, about in (
        ("backend", f"{' or '.join(BACKENDS)} (default: {DEFAULT_BACKEND})"),
        ("scenario", f"a bundled scenario or a file (default: {DEFAULT_SCENARIO})"),
    ):
        help_text = f"Of stovepipe_storage where a test's marker names none: {about}."
        group.addoption(f"--stovepipe-{name}", metavar=name.upper(), default=None, help=help_text)
        parser.addini(f"stovepipe_{name}", help_text, default=None)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, also where unknown ones are errors."""
    config.addinivalue_line("markers", _HELP)


@pytest.fixture(scope="session")
def _stovepipe_scenarios() -> "Callable[[str, Path], Scenario]":
    """Scenarios by name, or by a path that starts at a directory; each is read once a session."""
    from stovepipe_cli.fixtures_io.bundled import bundled, bundled_names, near_miss_names
    from stovepipe_cli.fixtures_io.scenario_reader import read_scenario_file

    read: dict[str | Path, Scenario] = {}

    def scenario(name: str, directory: Path) -> "Scenario":
        is_bundled = name in bundled_names() or name in near_miss_names()
        place = name if is_bundled else directory / name
        if place not in read:
            read[place] = bundled(name) if is_bundled else read_scenario_file(directory / name)
        return read[place]

    return scenario


@pytest.fixture
def stovepipe_scenario(
    request: pytest.FixtureRequest, _stovepipe_scenarios: "Callable[[str, Path], Scenario]"
) -> "Scenario | None":
    """The scenario that the test's storage holds, None for an empty queue.

    The path of a file starts where it is named: at the test's file, the directory pytest was called in, or its root.
    """
    from stovepipe_cli.errors import StovepipeError

    name, directory = _scenario_asked_for(request)
    if name is None:
        return None
    if "queue" in _marked(request):
        _refuse(f"the scenario '{name}' has a queue of its own; leave 'queue' out, or say scenario=None")
    try:
        return _stovepipe_scenarios(name, directory)
    except StovepipeError as error:
        _refuse(error.message + (f" ({error.hint})" if error.hint else ""))


@pytest.fixture
def stovepipe_url(request: pytest.FixtureRequest) -> str:
    """URL of the test's database; of a file only another process can make use, as `stovepipe --database-url` does."""
    config = request.config
    default = config.getoption("stovepipe_backend") or config.getini("stovepipe_backend") or DEFAULT_BACKEND
    backend = _marked(request).get("backend", default)
    if backend not in BACKENDS:
        _refuse(f"there is no backend '{backend}'; use {' or '.join(BACKENDS)}")
    if backend == "memory":
        return "memory://"
    return f"sqlite:///{request.getfixturevalue('tmp_path') / 'stovepipe.db'}"


@pytest.fixture
def stovepipe_factory(stovepipe_url: str) -> "Iterator[StorageFactory]":
    """The test's database with all tables and no rows, closed after the test."""
    from stovepipe_cli.storage import open_storage

    with open_storage(stovepipe_url) as factory:
        factory.admin.create_tables()
        yield factory


@pytest.fixture
def stovepipe_storage(
    request: pytest.FixtureRequest, stovepipe_factory: "StorageFactory", stovepipe_scenario: "Scenario | None"
) -> "Storage":
    """A queue of the test's own, filled by its scenario; gone after the test."""
    from stovepipe_cli.fixtures_io.loading import load_scenario

    if stovepipe_scenario is None:
        return stovepipe_factory.for_queue(str(_marked(request).get("queue", EMPTY_QUEUE)))
    storage = stovepipe_factory.for_queue(stovepipe_scenario.queue)
    load_scenario(storage, stovepipe_scenario, into_existing=False)
    return storage


def _marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The arguments of the test's markers, the nearest first for each."""
    arguments: dict[str, Any] = {}
    for marker in request.node.iter_markers(MARKER):
        unknown = [name for name in marker.kwargs if name not in _ARGUMENTS]
        if marker.args or unknown:
            wrong = f"'{unknown[0]}'" if unknown else "an argument without a name"
            _refuse(f"the marker does not take {wrong}; use {', '.join(_ARGUMENTS)}")
        arguments = {**marker.kwargs, **arguments}
    return arguments


def _scenario_asked_for(request: pytest.FixtureRequest) -> tuple[str | None, Path]:
    """The name, and the directory that it starts at where it is a path."""
    config, marked = request.config, _marked(request)
    if "scenario" in marked:
        name = marked["scenario"]
        return None if name is None else str(name), request.path.parent
    asked: str | None = config.getoption("stovepipe_scenario")
    if asked:
        return asked, config.invocation_params.dir
    return config.getini("stovepipe_scenario") or DEFAULT_SCENARIO, config.rootpath


def _refuse(message: str) -> NoReturn:
    pytest.fail(f"{MARKER}: {message}", pytrace=False)
