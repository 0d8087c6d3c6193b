"""Answers of `schema`: the commands whose documents are described, and one description."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from stovepipe_cli.reports.base import Report
from stovepipe_cli.reports.json_form import JsonValue


@dataclass(frozen=True, slots=True)
class SchemaItem:
    """A command and the identifiers of its two schemas: of its document, and of a line of its ndjson."""

    command: str
    document: str
    line: str


@dataclass(frozen=True, slots=True)
class SchemaReport(Report):
    """The JSON Schema of what a command prints."""

    is_story: ClassVar[bool] = True

    described: str
    json_schema: Mapping[str, JsonValue]
