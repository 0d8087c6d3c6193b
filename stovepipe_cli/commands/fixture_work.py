"""From a scenario file to a loaded queue, with the rules of safety around it."""

from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.errors import Refused, UsageError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.fixtures_io.scenario import Scenario
    from stovepipe_cli.reports import FixturesLoadReport


def load_file(session: "Session", file: Path, *, into_existing: bool) -> "FixturesLoadReport":
    """Load a scenario into the queue that it names.

    `Refused` for a protected profile, `UsageError` where --queue names another queue than the file.
    """
    from stovepipe_cli.fixtures_io.loading import load_scenario

    scenario = _scenario(file)
    if session.config.protected.value:
        raise Refused(
            "the profile is protected, and fixtures are made up", hint="load them with another profile or database"
        )
    queue = session.config.queue
    if queue.origin.startswith("flag") and queue.value != scenario.queue:
        raise UsageError(
            f"the scenario is of queue '{scenario.queue}', and --queue names '{queue.value}'", hint="leave --queue out"
        )
    factory = session.writing()
    if session.config.database.is_default:
        factory.admin.create_tables()
    return load_scenario(factory.for_queue(scenario.queue), scenario, into_existing=into_existing)


def _scenario(file: Path) -> "Scenario":
    from stovepipe_cli.fixtures_io.bundled import bundled, bundled_names
    from stovepipe_cli.fixtures_io.scenario_reader import read_scenario_file

    if not file.exists() and str(file) in bundled_names():
        return bundled(str(file))
    return read_scenario_file(file)
