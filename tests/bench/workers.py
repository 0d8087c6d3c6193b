"""B5: a verify that two workers share beside the same verify by one process, start-up and ledger included."""

import json
import statistics
import sys
from collections.abc import Sequence

from tests.bench.databases import NO_MYSQLCLIENT, QUEUE, Reach, Site, has_mysqlclient
from tests.bench.measurement import Measurement, Outcome, Skipped
from tests.bench.processes import Peak, environment, peak_memory

# Of fewer the start, which one process does alone, counts for more than what is asked leaves room for.
REQUESTS = 1_000_000
RUNS = 3
AT_LEAST = 1.7


def measure(site: Site) -> list[Outcome]:
    """On both kinds of database, in turn, so that what slows the machine slows both alike."""
    found: list[Outcome] = []
    for database in site.queues(REQUESTS):
        for reach in database.reaches:
            one: list[Peak] = []
            two: list[Peak] = []
            for _ in range(RUNS):
                one.append(_verified(site, reach, REQUESTS, 1))
                two.append(_verified(site, reach, REQUESTS, 2))
            rates = (_rate(two), _rate(one))
            what = f"verify of {REQUESTS:,} requests by two workers over one, {reach.name}"
            loaded = f"loaded at {database.requests_a_second:,.0f} requests/s"
            note = f"{_told(two)} by two workers, {_told(one)} by one; {loaded}"
            found.append(Measurement("B5", what, "requests/s", *rates, AT_LEAST, "at least", note=note))
    if not has_mysqlclient():
        found.append(Skipped("B5", "verify by two workers over one, MariaDB by mysqlclient", NO_MYSQLCLIENT))
    return found


def _rate(some: Sequence[Peak]) -> float:
    return REQUESTS / statistics.median(each.seconds for each in some)


def _told(some: Sequence[Peak]) -> str:
    seconds, most = statistics.median(each.seconds for each in some), max(each.megabytes for each in some)
    return f"{seconds:.1f} s and {most:.0f} MB a process at most"


def _verified(site: Site, reach: Reach, requests: int, workers: int) -> Peak:
    room = site.room()
    words: Sequence[str] = (
        *(sys.executable, "-m", "stovepipe_cli", "verify", "--queue", QUEUE, "--database-url", reach.url),
        *("--ledger-url", f"sqlite:///{room / 'ledger.db'}", "--workers", str(workers), "--settle", "0"),
        *("--output", "json"),
    )
    ended = peak_memory(words, environment(room))
    document = json.loads(ended.stdout) if ended.stdout else {}
    if ended.exit_code or document["data"]["coverage"]["uris"]["checked"] != requests:
        raise RuntimeError(f"a healthy queue on {reach.name}, {workers} workers, gave {ended}")
    return ended
