"""B10: every open issue as lines of JSON, beside the driver reading the same rows."""

from collections.abc import Iterator
from functools import partial

from stovepipe_cli.listing import list_open_issues
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.output import render_report
from stovepipe_cli.storage.contract.rows import OpenIssueRow, Row
from stovepipe_cli.storage.contract.tables import OPEN_ISSUE
from stovepipe_cli.storage.open import open_storage
from tests.bench.databases import NO_MYSQLCLIENT, QUEUE, Database, Reach, Site, fill, has_mysqlclient
from tests.bench.measurement import Measurement, Outcome, Skipped
from tests.bench.raw import stream
from tests.bench.turns import median_seconds

AT_LEAST = 0.3
ISSUES = 200_000
RUNS = 5
UNITS = 20
BATCH = 5_000


def measure(site: Site) -> list[Outcome]:
    """The command's own reading and rendering, without the start of a process."""
    found: list[Outcome] = []
    for kind in ("SQLite", "MariaDB"):
        database = Database(kind, site.empty(kind), 0, 0, 0)
        fill(database.url, _batches())
        for reach in database.reaches:
            ours, raw = median_seconds([partial(_listed, reach), partial(stream, reach, [OPEN_ISSUE])], runs=RUNS)
            what = f"issues list --all to ndjson, {reach.name}"
            found.append(Measurement("B10", what, "issues/s", ISSUES / ours, ISSUES / raw, AT_LEAST, "at least"))
    what = "issues list --all to ndjson, MariaDB by mysqlclient"
    return found if has_mysqlclient() else [*found, Skipped("B10", what, NO_MYSQLCLIENT)]


def _batches() -> Iterator[list[Row]]:
    for start in range(0, ISSUES, BATCH):
        yield [
            OpenIssueRow(
                f"//services/billing/api/v{number // UNITS:06d}:test", f"TestCase_{number % UNITS}", f"build-{number}"
            )
            for number in range(start, start + BATCH)
        ]


def _listed(reach: Reach) -> None:
    lines = 0
    with open_storage(reach.url, read_only=True) as factory:
        report = list_open_issues(factory.for_queue(QUEUE), every=True)
        for piece in render_report(report, RenderContext("issues list", QUEUE, output="ndjson")):
            lines += piece.count("\n")
    if lines != ISSUES + 1:
        raise RuntimeError(f"{reach.name} listed something else than {ISSUES} issues")
