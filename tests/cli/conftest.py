"""The program on databases that each test has to itself."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stovepipe_cli.fixtures_io.bundled import bundled
from stovepipe_cli.fixtures_io.loading import load_scenario
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Process, Program

QUEUE = "demo/main"


@pytest.fixture(scope="session")
def scenario_files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The database file of a bundled scenario, loaded once and not to be written to."""
    directory = tmp_path_factory.mktemp("scenarios")

    def file_of(name: str) -> Path:
        path = directory / f"{name}.db"
        if not path.exists():
            with open_storage(f"sqlite:///{path}") as factory:
                factory.admin.create_tables()
                if name != "empty":
                    scenario = bundled(name)
                    load_scenario(factory.for_queue(scenario.queue), scenario, into_existing=False)
        return path

    return file_of


@pytest.fixture
def database(scenario_files: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    """A copy of its own of a scenario's database, `empty` for one with tables alone."""

    def copy_of(name: str) -> Path:
        path = tmp_path / f"{name}.db"
        if not path.exists():
            shutil.copyfile(scenario_files(name), path)
        return path

    return copy_of


@pytest.fixture
def home(tmp_path: Path) -> Path:
    directory = tmp_path / "home"
    directory.mkdir()
    return directory


@pytest.fixture
def program(home: Path) -> Program:
    """The program with nothing configured."""
    return Program(home)


@pytest.fixture
def process(home: Path) -> Process:
    """The program as a process with nothing configured."""
    return Process(home)


@pytest.fixture
def demo(program: Program, database: Callable[[str], Path]) -> Program:
    """The program on the damaged queue."""
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('demo')}", "STOVEPIPE_QUEUE": QUEUE}
    return program


@pytest.fixture
def healthy(program: Program, database: Callable[[str], Path]) -> Program:
    """The program on a queue without damage."""
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('healthy')}", "STOVEPIPE_QUEUE": QUEUE}
    return program


@pytest.fixture
def uris(program: Program, database: Callable[[str], Path]) -> Program:
    """The program on a queue in which two commits lead to no request."""
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('u501')}", "STOVEPIPE_QUEUE": QUEUE}
    return program


@pytest.fixture
def plan(uris: Program) -> Path:
    """A plan for both commits."""
    file = uris.home / "plan.json"
    assert uris("repair", "plan", "--settle", "0", "--out", file).code == 0
    return file
