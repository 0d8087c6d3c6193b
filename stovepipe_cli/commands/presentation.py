"""From configuration and surroundings to a render context, and the text of a question before a write."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING

from stovepipe_cli.commands.surroundings import Surroundings
from stovepipe_cli.errors import StovepipeError, UsageError
from stovepipe_cli.instants import parse_zone
from stovepipe_cli.render.context import OUTPUT_FORMATS, OutputFormat, RenderContext, ReplicaView, TargetView

if TYPE_CHECKING:
    from stovepipe_cli.commands.confirmation import WritePlan
    from stovepipe_cli.commands.invocation import Invocation
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.storage.contract import ServerState

_FORMAT_OF_SUFFIX: Mapping[str, OutputFormat] = MappingProxyType(
    {".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv"}
)


def render_context(
    session: "Session", flags: Mapping[str, object], state: "ServerState | None", *, is_opened: bool
) -> RenderContext:
    """The context of an answer whose configuration could be resolved."""
    config, surroundings = session.config, session.surroundings
    bare = bare_context(session.command, flags, surroundings)
    return replace(
        bare,
        queue=config.queue.value if session.is_scoped else None,
        target=target_view(session, state) if is_opened else None,
        output=_format(session.wanted_output),
        colour=wants_colour(config.color.value, surroundings.environ, is_terminal=bare.is_terminal),
        zone=parse_zone(config.tz.value),
        zone_name=config.tz.value,
        place=session.place,
    )


def bare_context(words: str, flags: Mapping[str, object], surroundings: Surroundings) -> RenderContext:
    """The context that flags alone give, for commands that are there to help with a configuration that is broken.

    `UsageError` or `InvalidInput` for a flag that makes no sense.
    """
    is_terminal = surroundings.answers_on_terminal and flags.get("output_file") is None
    queue = flags.get("queue")
    zone = str(flags.get("tz") or "UTC")
    return RenderContext(
        command=words,
        queue=None if queue is None else str(queue),
        output=_format(wanted_output(flags, surroundings)),
        is_terminal=is_terminal,
        width=surroundings.width(),
        colour=wants_colour(str(flags.get("color") or "auto"), surroundings.environ, is_terminal=is_terminal),
        zone=parse_zone(zone),
        zone_name=zone,
        columns=tuple(name.strip() for name in str(flags.get("columns") or "").split(",") if name.strip()),
        headers=not flags.get("no_headers"),
        now_ms=surroundings.clock.now_ms(),
        ascii_only=is_narrow(surroundings) and flags.get("output_file") is None,
    )


def failure_context(invocation: "Invocation") -> RenderContext:
    """The context of a failure, from whatever is known by then: the configuration itself may be what failed."""
    session = invocation.session
    surroundings = invocation.surroundings
    queue = invocation.flags.get("queue")
    target: TargetView | None = None
    place = ""
    if session is not None and session.reads_config:
        with suppress(StovepipeError):
            queue = session.config.queue.value if session.is_scoped else None
            target = target_view(session, session.known_server)
            place = session.place
    output = wanted_output(invocation.flags, surroundings)
    return RenderContext(
        command=invocation.words,
        queue=None if queue is None else str(queue),
        target=target,
        output=next((known for known in OUTPUT_FORMATS if known == output), "tsv"),
        is_terminal=surroundings.answers_on_terminal,
        width=surroundings.width(),
        ascii_only=is_narrow(surroundings),
        place=place,
    )


def wanted_output(flags: Mapping[str, object], surroundings: Surroundings) -> str:
    """The format asked for, else that of the output file's name, else by whether the answer goes to a terminal."""
    if flags.get("output") is not None:
        return str(flags["output"])
    file = flags.get("output_file")
    if file is not None:
        return _FORMAT_OF_SUFFIX.get(PurePath(str(file)).suffix.lower(), "tsv")
    return "table" if surroundings.answers_on_terminal else "tsv"


def is_narrow(surroundings: Surroundings) -> bool:
    """Whether stdout cannot carry every character."""
    encoding = (getattr(surroundings.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    return not encoding.startswith("utf")


def target_view(session: "Session", state: "ServerState | None") -> TargetView | None:
    """The database as it appears in an answer, or the replica of it that was read; None where none is configured."""
    config = session.config
    setting = config.read_database if session.is_on_replica else config.database
    access = setting.value
    if access is None:
        return None
    target = access.target
    host = target.socket or (f"{target.host}:{target.port}" if target.host else "")
    view = TargetView(
        profile=config.profile.value,
        origin=setting.origin,
        host=state.host if state else host,
        database=state.database if state else target.database or target.path or "",
        server_version=state.server_version if state else None,
    )
    if not session.is_on_replica:
        return view
    return ReplicaView(view.profile, view.origin, view.host, view.database, view.server_version, session.lag_ms)


def wants_colour(asked: str, environ: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Colour on a terminal unless NO_COLOR or TERM=dumb; off a terminal only with `always`."""
    if asked != "auto":
        return asked == "always"
    return is_terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def question_text(session: "Session", write: "WritePlan") -> str:
    """What is about to be written, and where."""
    view = target_view(session, session.server())
    lines = [
        f"About to {write.purpose}",
        f"  profile   {session.config.profile.value or '-'}",
        f"  host      {(view.host if view else '') or '-'}",
        f"  database  {(view.database if view else '') or '-'}",
        f"  queue     {session.queue}",
    ]
    lines.extend(f"  INSERT    {count:,} into {table}" for table, count in write.inserts.items() if count)
    lines.extend(f"  UPDATE    {count:,} of {table}" for table, count in write.updates.items() if count)
    return "\n".join(lines)


def _format(name: str) -> OutputFormat:
    for known in OUTPUT_FORMATS:
        if known == name:
            return known
    raise UsageError(f"there is no output format '{name}'", hint=f"use one of {', '.join(OUTPUT_FORMATS)}")
