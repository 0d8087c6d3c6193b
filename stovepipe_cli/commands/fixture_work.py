"""From a scenario file, or from numbers, to a filled queue, with the rules of safety around it."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.errors import InvalidInput, Refused, UsageError
from stovepipe_cli.near_names import did_you_mean

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.fixtures_io.scenario import Scenario
    from stovepipe_cli.reports import FixturesCheckReport, FixturesGenerateReport, FixturesLoadReport
    from stovepipe_cli.request_id import IdForm

ID_FORMS: "tuple[IdForm, ...]" = ("decimal", "path")

# The first acceptance, and all that follows within ten years of it: long past, so that nothing is still to come.
_START_MS = 1_446_537_600_000
_SPAN_MS = 10 * 365 * 86_400_000
_USUAL_EVERY_MS = 97_000
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def load_file(
    session: "Session", file: Path, *, into_existing: bool, reason: str | None = None
) -> "FixturesLoadReport":
    """Load a scenario into the queue that it names, on record with its digest before anything is written.

    `Refused` for a protected profile, `UsageError` where --queue names another queue than the file.
    """
    from stovepipe_cli.commands.run_record import strict_record
    from stovepipe_cli.fixtures_io.loading import load_scenario

    scenario = _scenario(file)
    _refuse_protected(session)
    queue = session.config.queue
    if queue.origin.startswith("flag") and queue.value != scenario.queue:
        raise UsageError(
            f"the scenario is of queue '{scenario.queue}', and --queue names '{queue.value}'", hint="leave --queue out"
        )
    factory = session.writing()
    if session.config.database.is_default:
        # A run names the database it is about, so that there has to be one.
        factory.admin.create_tables()
    record = strict_record(
        session,
        "fixtures-load",
        {"file": file, "into_existing": into_existing},
        queue=scenario.queue,
        reason=reason,
        revisions={"fixture": scenario.digest},
    )
    # Ended before the answer leaves, whose code has to tell of an end that is not on record.
    with record:
        report = load_scenario(factory.for_queue(scenario.queue), scenario, into_existing=into_existing)
        counts = {"created": report.created, "unchanged": report.unchanged}
        record.ends(report, counts, document={"digest": report.digest})
    return report


def check_file(file: Path) -> "FixturesCheckReport":
    """What a scenario holds, without a database."""
    from collections import Counter

    from stovepipe_cli.reports import FixturesCheckReport
    from stovepipe_cli.storage.contract.rows import TABLE_OF

    scenario = _scenario(file)
    rows = Counter(TABLE_OF[type(row)].name for row in scenario.rows)
    return FixturesCheckReport(
        file=scenario.source,
        digest=scenario.digest,
        queue=scenario.queue,
        rows=dict(sorted(rows.items())),
        expected_findings=len(scenario.expectation.findings),
    )


def generate_queue(
    session: "Session",
    *,
    requests: int,
    seed: int,
    damage: list[str],
    ids: str,
    planted_file: Path | None,
    into_existing: bool,
) -> "FixturesGenerateReport":
    """Fill the session's queue. `Refused` for a protected profile and for a queue that holds rows."""
    from stovepipe_cli.files import require_writable_place, write_answer
    from stovepipe_cli.fixtures_io.generating import generate, planted_lines
    from stovepipe_cli.fixtures_io.generator import SyntheticQueue
    from stovepipe_cli.reports import FixturesGenerateReport

    form = next((known for known in ID_FORMS if known == ids), None)
    if form is None:
        raise UsageError(f"--ids '{ids}' is no form of request ids", hint=f"use {' or '.join(ID_FORMS)}")
    if requests < 1:
        raise UsageError(f"--requests {requests} is out of range", hint="use 1 or more")
    wanted = _damage(damage)
    synthetic = SyntheticQueue(
        session.queue,
        requests,
        seed,
        wanted,
        start_ms=_START_MS,
        every_ms=max(min(_USUAL_EVERY_MS, _SPAN_MS // requests), 1),
        ids=form,
    )
    _refuse_protected(session)
    factory = session.writing()
    listed = planted_file or _beside_database(session, synthetic.queue)
    if listed is not None and wanted:
        require_writable_place(str(listed))
    if session.config.database.is_default:
        factory.admin.create_tables()
    rows = generate(
        factory.for_queue(synthetic.queue),
        synthetic,
        into_existing=into_existing,
        listener=lambda done: session.progress(f"{done:,} of {requests:,} requests ({100 * done // requests} %)"),
    )
    if listed is not None and wanted:
        write_answer(str(listed), "".join(planted_lines(synthetic)))
    return FixturesGenerateReport(
        queue=synthetic.queue,
        requests=requests,
        seed=seed,
        rows=rows,
        planted=dict(sorted(wanted.items())),
        planted_file=str(listed) if listed is not None and wanted else None,
    )


def _damage(given: list[str]) -> dict[str, int]:
    """CODE=N options, each repeatable and comma-separated."""
    found: dict[str, int] = {}
    for part in (part.strip() for each in given for part in each.split(",")):
        code, equals, number = part.partition("=")
        if not equals or not (number.isascii() and number.isdigit()):
            raise UsageError(f"--damage '{part}' is not of the form CODE=N", hint="write --damage H102=3,A401=10")
        if code.upper() in found:
            raise UsageError(f"--damage names '{code.upper()}' twice", hint="name each code once")
        if int(number):
            found[code.upper()] = int(number)
    return found


def _beside_database(session: "Session", queue: str) -> Path | None:
    """A file beside the database, where that is a file itself."""
    path = session.config.require_database().target.path
    if path is None:
        return None
    return Path(f"{path}.{_UNSAFE.sub('-', queue)}.planted.ndjson")


def _refuse_protected(session: "Session") -> None:
    if session.config.protected.value:
        raise Refused(
            "the profile is protected, and fixtures are made up", hint="use another profile or another database"
        )


def _scenario(file: Path) -> "Scenario":
    from stovepipe_cli.fixtures_io.bundled import bundled, bundled_names, near_miss_names
    from stovepipe_cli.fixtures_io.scenario_reader import read_scenario_file

    if file.exists():
        return read_scenario_file(file)
    named = str(file)
    if named in (*bundled_names(), *near_miss_names()):
        return bundled(named)
    if file.suffix or len(file.parts) > 1:
        return read_scenario_file(file)
    raise InvalidInput(
        f"there is no file '{named}', and no bundled scenario of that name",
        hint=did_you_mean(named, bundled_names(), most=1)
        or "give the path of a file, or a bundled scenario: demo, healthy, or the code of a rule, such as h102",
    )
