"""Strict JSON for plan files."""

from collections.abc import Mapping

from stovepipe_cli.repair.plan_refusal import refused
from stovepipe_cli.reports import JsonValue
from stovepipe_cli.reports.strict_json import MAX_BYTES, MAX_TEXT, parse_object

__all__ = ["MAX_BYTES", "MAX_TEXT", "parse_document"]


def parse_document(raw: bytes) -> Mapping[str, JsonValue]:
    """The JSON object in `raw`; `Refused` for what no plan can hold, before anything looks at its meaning."""
    return parse_object(raw, refused)
