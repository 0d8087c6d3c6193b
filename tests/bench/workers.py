"""B5: a verify that two workers share beside the same verify by one process, start-up and ledger included."""

import json
import statistics
import sys
from collections.abc import Sequence

from tests.bench.databases import QUEUE, Database, Site
from tests.bench.measurement import Measurement, Outcome
from tests.bench.processes import environment, peak_memory

# Of fewer the start of three processes, and not the work, decides.
REQUESTS, FULL = 500_000, 1_000_000
RUNS = 3
AT_LEAST = 1.7


def measure(site: Site) -> list[Outcome]:
    """On both kinds of database, in turn, so that what slows the machine slows both alike."""
    found: list[Outcome] = []
    for database in site.queues(FULL if site.is_full else REQUESTS):
        one: list[float] = []
        two: list[float] = []
        for _ in range(RUNS):
            one.append(_seconds(site, database, 1))
            two.append(_seconds(site, database, 2))
        rates = (database.requests / statistics.median(two), database.requests / statistics.median(one))
        what = f"verify of {database.requests:,} requests by two workers over one, {database.kind}"
        found.append(Measurement("B5", what, "requests/s", *rates, AT_LEAST, "at least"))
    return found


def _seconds(site: Site, database: Database, workers: int) -> float:
    room = site.room()
    words: Sequence[str] = (
        *(sys.executable, "-m", "stovepipe_cli", "verify", "--queue", QUEUE, "--database-url", database.url),
        *("--ledger-url", f"sqlite:///{room / 'ledger.db'}", "--workers", str(workers), "--settle", "0"),
        *("--output", "json"),
    )
    ended = peak_memory(words, environment(room))
    document = json.loads(ended.stdout) if ended.stdout else {}
    if ended.exit_code or document["data"]["coverage"]["uris"]["checked"] != database.requests:
        raise RuntimeError(f"a healthy queue on {database.kind}, {workers} workers, gave {ended}")
    return ended.seconds
