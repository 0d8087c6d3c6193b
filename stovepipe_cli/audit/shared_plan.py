"""The order of a shared verify: first every table once, then again what did not come out even, then the report."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from stovepipe_cli.audit.bulk_pass import BulkPass, is_bulk_possible
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.narrowing import narrowed
from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.rules import PassName
from stovepipe_cli.audit.shared_cells import folded_to
from stovepipe_cli.audit.shared_options import hash_kind, mint_hash_seed, options_document
from stovepipe_cli.audit.span import Span
from stovepipe_cli.audit.verifier import latest_number, opened_case, require_rows
from stovepipe_cli.clock import Clock
from stovepipe_cli.storage.contract import Storage
from stovepipe_cli.storage.contract.rows import (
    BuildRow,
    Key,
    RequestAcceptanceRow,
    RequestRow,
    RequestURIRow,
    Row,
    ValidationFactRow,
)

ROWS: Mapping[str, type[Row]] = MappingProxyType(
    {
        "requests": RequestRow,
        "builds": BuildRow,
        "facts": ValidationFactRow,
        "acceptances": RequestAcceptanceRow,
        "uris": RequestURIRow,
    }
)
WEIGH, REPORT = "weigh", "report"

# What the requests tell of builds is known when those are read; the others can be read beside the requests.
_FIRST: tuple[PassName, ...] = ("acceptances", "uris", "facts", "builds")
_AGAIN: tuple[PassName, ...] = ("builds", "facts", "acceptances", "uris")

# Lost to a kill and read again; and each costs some statements of the ledger, and megabytes of cells where it is full.
_STEPS_A_QUEUE = 12
_FEWEST, _MOST = 25_000, 500_000
# Rows of other tables are read many times as fast; yet one worker reads the last of them while the others wait.
_LINKED_AT_ONCE = _STEPS_A_QUEUE // 4


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the work. `waits`: for everything before it; `behind`: for a part, empty for none."""

    part: str
    again: bool = False
    waits: bool = False
    behind: str = ""

    def covers(self, span: Span) -> dict[str, object]:
        """What a step of it covers."""
        return {"part": self.part, "again": self.again, "after": _json(span.after), "upto": _json(span.upto)}


def stages(names: Collection[str]) -> tuple[Stage, ...]:
    """All of them in order; `names` are the passes beside the requests."""
    first = [Stage(name, behind="requests" if name == "builds" else "") for name in ("requests", *_FIRST)]
    first = [stage for stage in first if stage.part == "requests" or stage.part in names]
    # What their rows in other tables tell is known better from the requests.
    again = [Stage(name, again=True, waits=at == 0) for at, name in enumerate(n for n in _AGAIN if n in names)]
    return (
        *first,
        Stage(WEIGH, waits=True),
        Stage("requests", again=True, waits=True),
        *again,
        Stage(REPORT, waits=True),
    )


def stage_of(covers: Mapping[str, Any]) -> tuple[str, bool]:
    """The part, and whether it is read again."""
    return str(covers.get("part")), covers.get("again") is True


def span_of(covers: Mapping[str, Any]) -> Span:
    """What is to be read."""
    return Span(_key(covers.get("after")), _key(covers.get("upto")))


def shared_body(
    storage: Storage, options: VerifyOptions, *, clock: Clock, step_rows: int | None = None, seed: int | None = None
) -> dict[str, object] | str | None:
    """What the run is made of, JSON values alone; a sentence where one process has to do it; None without any row.

    Looks at the tables once. `step_rows` None: as many rows a step as suit the size of the queue. `seed`
    is the key of the processes' hashes, None for a new one.
    """
    with opened_case(storage, options, clock, None) as case:
        case.cover()
        if not require_rows(case, tuple):
            return None
        case.scope = narrowed(case.storage, case.snapshots, case.survey, case.options)
        reason = _why_alone(case)
        if reason is not None:
            return reason
        latest = latest_number(case)
        # Rounded up, so that no step is left for the last few rows.
        usual = min(max(-(-(latest or 0) // _STEPS_A_QUEUE), _FEWEST), _MOST)
        return {
            "options": options_document(options),
            "latest": latest,
            "passes": sorted(BulkPass(case).names),
            "step_rows": usual if step_rows is None else step_rows,
            "cells": folded_to(latest or 0),
            "hash": hash_kind(),
            "seed": mint_hash_seed() if seed is None else seed,
        }


def rows_a_step(part: str, step_rows: int) -> int:
    """Rows of a table that one step reads."""
    return step_rows if part == "requests" else step_rows * _LINKED_AT_ONCE


def _why_alone(case: Case) -> str | None:
    if case.scope.is_narrowed:
        return "a part of the queue is looked at by one process, however many workers are asked for"
    if not is_bulk_possible(case) or not case.survey.runs("requests"):
        return "these tables or rules are looked at by one process, however many workers are asked for"
    return None


def _json(key: Key | None) -> list[object] | None:
    return None if key is None else list(key)


def _key(value: object) -> Key | None:
    return tuple(value) if isinstance(value, list | tuple) else None
