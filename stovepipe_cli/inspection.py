"""Creation, inspection and health of a database, as reports."""

from collections.abc import Callable

from stovepipe_cli.clock import Clock
from stovepipe_cli.instants import format_instant
from stovepipe_cli.reports import DatabaseCheckReport, DatabaseInitReport, DatabasePingReport, DriftItem
from stovepipe_cli.storage.contract import DatabaseAdmin, StorageUnavailable
from stovepipe_cli.storage.contract.tables import TABLES

_PAUSE_SECONDS = 0.5


def create_tables(admin: DatabaseAdmin) -> DatabaseInitReport:
    """Create what is absent."""
    created = admin.create_tables()
    return DatabaseInitReport(created, tuple(name for name in TABLES if name not in created))


def check_database(admin: DatabaseAdmin) -> DatabaseCheckReport:
    """Every difference between the tables there and the tables known."""
    state = admin.ping()
    items = tuple(
        DriftItem(drift.kind, drift.table, drift.column, drift.expected, drift.found, drift.harmless)
        for drift in admin.drift()
    )
    return DatabaseCheckReport(state.backend, state.server_version, admin.schema_fingerprint(), items)


def ping_database(connect: Callable[[], DatabaseAdmin], clock: Clock, *, wait_ms: int) -> DatabasePingReport:
    """Who answers; `StorageUnavailable` where nobody did within `wait_ms`, at once where waiting cannot help."""
    deadline = clock.monotonic() + wait_ms / 1000
    while True:
        started = clock.monotonic()
        try:
            state = connect().ping()
        except StorageUnavailable as error:
            if not error.retryable or clock.monotonic() + _PAUSE_SECONDS > deadline:
                raise
            clock.sleep(_PAUSE_SECONDS)
            continue
        return DatabasePingReport(
            backend=state.backend,
            driver=state.driver,
            host=state.host,
            database=state.database,
            server_version=state.server_version,
            identity=state.identity,
            read_only=state.read_only,
            server_time_ms=state.now_ms,
            server_time=format_instant(state.now_ms),
            round_trip_ms=round((clock.monotonic() - started) * 1000, 1),
        )
