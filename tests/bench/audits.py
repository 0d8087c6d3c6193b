"""B3, B4 and B7: a verify beside the bare driver, beside one request at a time, and of a queue ten times as long."""

from collections.abc import Sequence
from functools import partial

from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.reports import VerifyReport
from stovepipe_cli.storage.contract.mapping import log_row, request_row
from stovepipe_cli.storage.contract.tables import TABLES
from stovepipe_cli.storage.open import open_storage
from tests.bench.databases import NO_MYSQLCLIENT, QUEUE, Reach, Site, has_mysqlclient
from tests.bench.measurement import Measurement, Outcome, Skipped
from tests.bench.peak import CODES, DAMAGE_EACH, FULL_PAIR, PAIR
from tests.bench.raw import stream
from tests.bench.turns import median_seconds

REQUESTS = 100_000
RUNS = 5
STREAMED = {"sqlite3": 0.5, "PyMySQL": 0.5, "mysqlclient": 0.25}

AT_LEAST_TIMES = 15
ONE_BY_ONE = 2_000

AT_MOST_GROWTH = 1.1
PAIR_RUNS = 3


def against_the_driver(site: Site) -> list[Outcome]:
    """B3: all rules on a healthy queue, and the driver streaming whole rows of the same tables."""
    found: list[Outcome] = []
    for database in site.queues(REQUESTS):
        for reach in database.reaches:
            ours, raw = median_seconds([partial(_verify, reach), partial(stream, reach, TABLES.values())], runs=RUNS)
            rates = (database.requests / ours, database.requests / raw)
            what = f"verify over streaming, {reach.name}"
            found.append(Measurement("B3", what, "requests/s", *rates, STREAMED[reach.driver], "at least"))
    return _with_skipped(found, "B3", "verify over streaming, MariaDB by mysqlclient")


def against_one_by_one(site: Site) -> list[Outcome]:
    """B4: the history rules, and the same rules over one request after the other, read from the stores."""
    found: list[Outcome] = []
    for database in site.queues(REQUESTS):
        for reach in database.reaches:
            ids = [str(number) for number in range(1, database.requests, database.requests // ONE_BY_ONE)]
            ours, naive = median_seconds([partial(_verify, reach, ("H",)), partial(_one_by_one, reach, ids)], runs=RUNS)
            rates = (database.requests / ours, len(ids) / naive)
            what = f"history rules over get and list, {reach.name}"
            found.append(Measurement("B4", what, "requests/s", *rates, AT_LEAST_TIMES, "at least"))
    return _with_skipped(found, "B4", "history rules over get and list, MariaDB by mysqlclient")


def as_queues_grow(site: Site) -> list[Outcome]:
    """B7: microseconds a request in a long queue beside a short one, with the damage of B6 in both."""
    few, many = FULL_PAIR if site.is_full else PAIR
    found: list[Outcome] = []
    pairs = (site.queues(size, damage_each=DAMAGE_EACH, codes=CODES) for size in (few, many))
    for short, long in zip(*pairs, strict=True):
        for reach, other in zip(short.reaches, long.reaches, strict=True):
            of_few, of_many = median_seconds(
                [partial(_verify, reach, planted=short.planted), partial(_verify, other, planted=long.planted)],
                runs=PAIR_RUNS,
            )
            times = (1e6 * of_many / many, 1e6 * of_few / few)
            what = f"time a request, {many:,} over {few:,} requests, {reach.name}"
            found.append(Measurement("B7", what, "us", *times, AT_MOST_GROWTH))
    return found


def _with_skipped(found: list[Outcome], row: str, what: str) -> list[Outcome]:
    return found if has_mysqlclient() else [*found, Skipped(row, what, NO_MYSQLCLIENT)]


def _verify(reach: Reach, select: tuple[str, ...] = (), *, planted: int = 0) -> VerifyReport:
    with open_storage(reach.url, read_only=True) as factory:
        report = verify(factory.for_queue(QUEUE), VerifyOptions(select=select, settle_ms=0), clock=SystemClock())
    if report.findings_total != planted or report.is_incomplete:
        raise RuntimeError(f"{planted} were planted, and {reach.name} gave {report.counts} and {report.blocking}")
    return report


def _one_by_one(reach: Reach, ids: Sequence[str]) -> None:
    judges = dict.fromkeys(rule.judge for code, rule in RULES.items() if code.startswith("H"))
    terms = Terms(QUEUE, clock_skew_ms=5_000, max_builds=64, min_age_ms=0, columns={})
    with open_storage(reach.url, read_only=True) as factory:
        storage = factory.for_queue(QUEUE)
        for request_id in ids:
            request, entries = storage.requests.get(request_id), storage.request_log.list(request_id)
            dossier = Dossier(request_id, 0, request_row(request), rows=[*map(log_row, entries)])
            dossier.fold()
            if any(judge(dossier, terms) for judge in judges):
                raise RuntimeError(f"a healthy request '{request_id}' on {reach.name} has a finding")
