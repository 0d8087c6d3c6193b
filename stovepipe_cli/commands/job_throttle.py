"""The throttle of a job, from what is configured."""

from contextlib import ExitStack
from typing import TYPE_CHECKING

from stovepipe_cli.errors import UsageError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.work.throttle import Gauge, Pause, Throttle


def job_throttle(session: "Session", opened: ExitStack, *, is_reading: bool = False) -> "Throttle":
    """Everything but an operator's hold that may hold the job back; the replicas it asks are closed with `opened`.

    The pause file comes first, then the server's load and the lag of each replica. `UsageError` for a longest lag
    without a replica to measure it at. Work that only reads is not held back by a load that nobody set a limit to.
    """
    from stovepipe_cli.storage import open_storage
    from stovepipe_cli.wiring import connection_spec
    from stovepipe_cli.work.throttle import LagGauge, LoadGauge, Pace, PauseFileGauge, Throttle

    config = session.config
    wanted = config.throttle
    gauges: list[Gauge] = []
    if wanted.pause_file.value is not None:
        gauges.append(PauseFileGauge(wanted.pause_file.value))
    server = session.server()
    has_load_limit = bool(wanted.max_load.value) and not (is_reading and wanted.max_load.is_default)
    if has_load_limit and server.backend == "mysql":
        database = session.reading() if is_reading else session.writing()
        gauges.append(LoadGauge(database.admin, wanted.max_load.value, f"'{server.host}'"))
    replicas = config.lag_databases.value
    if wanted.max_lag_ms.value is not None:
        if not replicas:
            raise UsageError(
                "a longest lag is given and no replica to measure it at",
                hint="add --lag-url URL, or lag_urls to the profile",
            )
        for access in replicas:
            spec = connection_spec(access)
            factory = opened.enter_context(
                open_storage(spec, connect_timeout_ms=config.limits.connect_ms.value, read_only=True)
            )
            gauges.append(LagGauge(factory.admin, wanted.max_lag_ms.value, f"'{spec.host_name}'"))
    return Throttle(
        gauges,
        Pace(session.clock, wanted.rate.value),
        clock=session.clock,
        timeout_ms=config.limits.throttle_ms.value,
        listener=lambda pause: tell_pause(session, pause),
    )


def tell_pause(session: "Session", pause: "Pause | None") -> None:
    """Say on stderr why nothing happens, or that it goes on, and leave it with the run."""
    from stovepipe_cli.commands.run_throttle import note_pause
    from stovepipe_cli.instants import format_instant

    note_pause(session, pause)
    if pause is None:
        session.say("the work goes on")
    else:
        session.say(f"pausing since {format_instant(pause.since_ms)}: {pause.words}")
