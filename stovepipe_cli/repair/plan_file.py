"""Plans as files: written aside and renamed, readable by the owner alone, and refused when edited."""

import json
from collections.abc import Mapping
from pathlib import Path

from stovepipe_cli.errors import InvalidInput
from stovepipe_cli.files import PRIVATE, write_whole
from stovepipe_cli.repair.plan_digest import document_digest, plan_document
from stovepipe_cli.repair.plan_form import plan_from
from stovepipe_cli.repair.plan_refusal import refused
from stovepipe_cli.repair.plan_text import MAX_BYTES, parse_document
from stovepipe_cli.reports import JsonValue, RepairPlan

ENVELOPE_SCHEMA = "stovepipe/v1"
PLAN_COMMANDS = ("repair plan", "repairs plan")


def write_plan(plan: RepairPlan, path: Path, *, force: bool = False) -> None:
    """Write the plan's document, for the owner alone; `Refused` where the file exists, unless `force`."""
    text = json.dumps(plan_document(plan), ensure_ascii=False, indent=1) + "\n"
    write_whole(path, text, mode=PRIVATE, overwrite=force)


def read_plan(path: Path) -> RepairPlan:
    """The plan in a file that holds it alone, or as the `data` of the whole JSON output of `repair plan`.

    `InvalidInput` where the file cannot be read; `Refused` for anything but an unedited plan.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"'{path}' cannot be read: {error.strerror}", hint="check the path of the plan") from error
    return parse_plan(raw)


def parse_plan(raw: bytes) -> RepairPlan:
    """The plan in the bytes of a file; `Refused` for anything but an unedited plan."""
    document = _inner(parse_document(raw))
    plan = plan_from(document)
    if document_digest(document) != plan.digest:
        raise refused("was changed after it was made: its digest is not that of its content")
    return plan


def _inner(document: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    if "schema" not in document:
        return document
    if document["schema"] != ENVELOPE_SCHEMA or document.get("command") not in PLAN_COMMANDS:
        raise refused("is the output of another command, or of another version")
    data = document.get("data")
    if not isinstance(data, dict):
        raise refused("holds no data: its command failed")
    return data
