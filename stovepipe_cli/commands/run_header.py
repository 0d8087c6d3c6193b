"""The header of a run: who started it, on which database, with which options and on what it rests."""

import os
import pwd
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session
    from stovepipe_cli.entities.run import Run, RunHeader, RunKind

# Flags about the form of the answer, and those that hold a place which the header names without a login.
_NO_OPTIONS = frozenset(
    {
        "queue",
        "profile",
        "output",
        "output_file",
        "columns",
        "no_headers",
        "tz",
        "color",
        "no_progress",
        "progress",
        "quiet",
        "verbose",
        "yes",
        "no_input",
        "database_url",
        "ledger_url",
        "read_url",
        "lag_url",
    }
)


def new_run(
    session: "Session",
    kind: "RunKind",
    options: Mapping[str, object],
    revisions: Mapping[str, str] | None = None,
    reason: str | None = None,
    *,
    queue: str | None = None,
    document: Mapping[str, object] | None = None,
) -> "Run":
    """A run that starts now and is not on record yet; raises what the Stovepipe database raises."""
    from stovepipe_cli.entities.run import Run
    from stovepipe_cli.run_id import mint_run_id

    header = run_header(session, options, revisions or {}, reason, document or {})
    name = session.queue if queue is None else queue
    return Run(name, mint_run_id(session.clock), kind, header, session.clock.now_ms())


def run_header(
    session: "Session",
    options: Mapping[str, object],
    revisions: Mapping[str, str],
    reason: str | None,
    document: Mapping[str, object],
) -> "RunHeader":
    """The header; `revisions` are added to those of the tables, the tool and the rules."""
    from stovepipe_cli import __version__
    from stovepipe_cli.audit.rules import rules_digest
    from stovepipe_cli.commands.repair_work import plan_target
    from stovepipe_cli.entities.run import RunHeader

    target, server = plan_target(session), session.server()
    return RunHeader(
        profile=session.config.profile.value,
        target={
            "identity": target.identity,
            "host": target.host,
            "database": target.database,
            "server_version": server.server_version,
        },
        revisions={
            "schema": session.schema_fingerprint(),
            "tool": __version__,
            "rules": rules_digest(),
            **revisions,
        },
        options=recorded_options(session, options),
        actor=actor(),
        reason=reason or "",
        document=document,
    )


def actor() -> str:
    """Who runs the program: user@host."""
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        # A container may run as a user that nobody wrote down.
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


def recorded_options(session: "Session", options: Mapping[str, object]) -> Mapping[str, object]:
    """What was asked for, as JSON values: the command's own options and the shared ones, places without logins."""
    from stovepipe_cli.reports.json_form import json_form

    config = session.config
    given = {name: value for name, value in session.flags.items() if name not in _NO_OPTIONS}
    found = {**given, **options}
    if config.database.value is not None:
        found["database"] = config.database.value.target.display
    return {name: json_form(_plain(value)) for name, value in found.items() if _is_given(value)}


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value not in ((), [])


def _plain(value: object) -> object:
    if isinstance(value, Path):
        return str(value)
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
