"""B6: the peak memory of a verify, with damage of every kind to find, and how it grows with the queue."""

import json
import sys

from tests.bench.databases import QUEUE, Database, Site
from tests.bench.measurement import Measurement, Outcome
from tests.bench.processes import Peak, environment, peak_memory

AT_MOST_MB = 150
AT_MOST_GROWTH = 1.1
# Damage of single requests, each of which gives one finding of an error and hides none.
CODES = (
    *("H101", "H102", "H103", "H104", "H105", "H106", "H107", "H108", "H109"),
    *("E201", "E202", "E206", "P301", "P302", "P304", "A401", "U501"),
)
PAIR, FULL_PAIR = (20_000, 200_000), (50_000, 1_000_000)
DAMAGE_EACH = 10
FINDINGS = 3


def measure(site: Site) -> list[Outcome]:
    """On both kinds of database; a verify that misses planted damage is no measurement."""
    few, many = FULL_PAIR if site.is_full else PAIR
    found: list[Outcome] = []
    pairs = zip(
        site.queues(few, damage_each=DAMAGE_EACH, codes=CODES),
        site.queues(many, damage_each=DAMAGE_EACH, codes=CODES),
        strict=True,
    )
    for short, long in pairs:
        small, large = _peak(site, short), _peak(site, long)
        note = (
            f"loaded at {long.requests_a_second:,.0f} requests/s, verified at {many / large.seconds:,.0f} requests/s "
            f"with {long.planted} findings, start-up included"
        )
        what = f"peak of a verify of {many:,} requests, {long.kind}"
        found.append(Measurement("B6", what, "MB", large.megabytes, None, AT_MOST_MB, note=note))
        what = f"peak with {many:,} over {few:,} requests, {long.kind}"
        found.append(Measurement("B6", what, "MB", large.megabytes, small.megabytes, AT_MOST_GROWTH))
    return found


def _peak(site: Site, database: Database) -> Peak:
    where = ["--queue", QUEUE, "--database-url", database.url]
    peak = peak_memory(
        [sys.executable, "-m", "stovepipe_cli", "verify", *where, "--settle", "0", "--output", "json"],
        environment(site.room()),
    )
    total = json.loads(peak.stdout)["data"]["findings_total"] if peak.exit_code == FINDINGS else None
    if total != database.planted:
        raise RuntimeError(
            f"verify on {database.kind} ended with {peak.exit_code} and found {total}, "
            f"not the {database.planted} that were planted:\n{peak.stdout[:2000]}"
        )
    return peak
