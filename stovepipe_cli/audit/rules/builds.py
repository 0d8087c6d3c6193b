"""Whether builds and the entries about them fit each other: E201 to E205 and E211."""

from collections.abc import Sequence

from stovepipe_cli.audit.candidate import Candidate
from stovepipe_cli.audit.dossier import Dossier, build_named_by
from stovepipe_cli.audit.rules.rule import NOTHING, Rule, about
from stovepipe_cli.audit.terms import Terms
from stovepipe_cli.entities.build import TERMINAL_BUILD_STATUSES
from stovepipe_cli.entities.limits import TEXT_CHARACTERS
from stovepipe_cli.entities.request import TERMINAL_STATES
from stovepipe_cli.history.identity import event_log_id
from stovepipe_cli.storage.contract.rows import BuildRow

LOG = "request_log"
TRIGGERED, FINISHED = "build_triggered", "build_finished"

_FIRST_STATUS = "accepted"


def build_entries_exist(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """E201 and E202."""
    builds = [build for build in dossier.builds.values() if build.request_id == dossier.request_id]
    if not builds:
        return NOTHING
    retained = {row.log_id for row in dossier.rows}
    found: list[Candidate] = []
    for build in builds:
        for event, code in ((TRIGGERED, "E201"), (FINISHED, "E202")):
            log_id = event_log_id(event, build.id)
            if event == FINISHED and build.status not in TERMINAL_BUILD_STATUSES:
                continue
            # An identity over the column's length cannot have been written.
            if log_id not in retained and len(log_id) <= TEXT_CHARACTERS:
                found.append(_entry_missing(dossier, code, build, log_id))
    return found


def _entry_missing(dossier: Dossier, code: str, build: BuildRow, log_id: str) -> Candidate:
    word = "started" if code == "E201" else "ended"
    return about(
        dossier,
        code,
        (LOG, (dossier.request_id, log_id)),
        (f"an entry for build '{build.id}', which is '{build.status}'", "no entry"),
        f"no entry says that build '{build.id}' of request '{dossier.request_id}' {word}; it is '{build.status}'",
        entries=(log_id,),
        evidence=(("build", (build.id,)),),
        is_latest=_is_latest_step(dossier, code, build),
        is_repairable=dossier.request is not None,
    )


def _is_latest_step(dossier: Dossier, code: str, build: BuildRow) -> bool:
    """Whether the stage that writes the entry may still be retrying: only before the next stage has acted."""
    request = dossier.request
    if request is None:
        return False
    if code == "E201":
        return build.status == _FIRST_STATUS and request.state not in TERMINAL_STATES
    if request.state not in TERMINAL_STATES:
        return True
    return request.terminal_build_id not in ("", build.id)


def entries_name_own_builds(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """E203, E204 and E205."""
    if dossier.request is None:
        return NOTHING
    found: list[Candidate] = []
    for row in dossier.rows:
        build_id = build_named_by(row)
        if not build_id:
            continue
        build = dossier.builds.get(build_id)
        if build is not None and build.request_id == dossier.request_id:
            if row.event != FINISHED or build.status in TERMINAL_BUILD_STATUSES or not build.status:
                continue
            code, expected, seen = "E203", "a build that has ended", f"'{build.status}'"
            problem = f"says that build '{build_id}' finished, and the build is '{build.status}'"
        elif build is not None:
            code, expected, seen = "E205", f"a build of request '{dossier.request_id}'", f"one of '{build.request_id}'"
            problem = f"names build '{build_id}', which belongs to request '{build.request_id}'"
        else:
            code, expected, seen = "E204", "a build", "none"
            problem = f"names build '{build_id}', which does not exist"
        found.append(
            about(
                dossier,
                code,
                (LOG, (dossier.request_id, row.log_id)),
                (expected, seen),
                f"entry '{row.log_id}' of request '{dossier.request_id}' {problem}",
                entries=(row.log_id,),
                evidence=(("build", (build_id,)),),
            )
        )
    return found or NOTHING


def outcome_follows_build(dossier: Dossier, _terms: Terms) -> Sequence[Candidate]:
    """E211: the deciding build is named by the request, else by its terminal entry, else it is the only one."""
    request = dossier.request
    if request is None or request.state not in ("succeeded", "failed", "cancelled"):
        return NOTHING
    if not dossier.reason.startswith("build_") or dossier.reason == "build_polling_exhausted":
        return NOTHING
    entry = dossier.state_at(request.version)
    named = request.terminal_build_id or (build_named_by(entry) if entry else "")
    build = dossier.builds.get(named or dossier.sole_build)
    if build is None or build.status not in TERMINAL_BUILD_STATUSES or build.request_id != dossier.request_id:
        return NOTHING
    outcome = build.status if build.status in ("succeeded", "cancelled") else "failed"
    if outcome == request.state:
        return NOTHING
    return [
        about(
            dossier,
            "E211",
            ("request", (dossier.request_id,)),
            (f"'{outcome}', as build '{build.id}' ended", f"'{request.state}'"),
            f"request '{dossier.request_id}' is '{request.state}', but build '{build.id}', which decided it, is "
            f"'{build.status}'",
            versions=(request.version,),
            evidence=(("build", (build.id,)),),
        )
    ]


_TABLES = ("request", LOG, "build")

BUILD_RULES = (
    Rule(
        "E201",
        "build-triggered-missing",
        "error",
        "A build is stored and no entry says that it was triggered. The log write after the build's creation failed "
        "and the stage went on, often with a second build. Repair writes the entry from the build row, at the moment "
        "of insertion, since the build's time is stored nowhere.",
        "repair",
        ("builds",),
        _TABLES,
        build_entries_exist,
    ),
    Rule(
        "E202",
        "build-finished-missing",
        "error",
        "A build has ended and no entry says so. The log write after the last change of its status failed. Repair "
        "writes the entry from the build row, at the moment of insertion.",
        "repair",
        ("builds",),
        _TABLES,
        build_entries_exist,
    ),
    Rule(
        "E203",
        "build-finished-early",
        "error",
        "An entry says that a build finished, while the build is still under way. The entry is only written after the "
        "status, so the build row was set back or the entry was written by hand.",
        None,
        ("requests",),
        _TABLES,
        entries_name_own_builds,
        is_by_entry=True,
    ),
    Rule(
        "E204",
        "build-unknown",
        "error",
        "An entry names a build that does not exist. The build row was deleted, or its id was changed. Look for the "
        "build at the runner; nothing in the database can prove it.",
        None,
        ("requests",),
        _TABLES,
        entries_name_own_builds,
        is_by_entry=True,
    ),
    Rule(
        "E205",
        "build-foreign",
        "error",
        "An entry names a build that belongs to another request. A row was copied or edited; the runner knows for "
        "which commit the build ran.",
        None,
        ("requests",),
        _TABLES,
        entries_name_own_builds,
        is_by_entry=True,
    ),
)

OUTCOME_RULES = (
    Rule(
        "E211",
        "outcome-contradicts-build",
        "error",
        "The request says that a build decided it, and that build ended differently. One of the two rows was changed "
        "after the decision. Compare with the repository fact and the runner.",
        None,
        ("requests", "builds"),
        _TABLES,
        outcome_follows_build,
    ),
)
