"""The published schemas, as judges of what commands really print."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from stovepipe_cli.commands.options import full_name, spellings_of
from stovepipe_cli.render.document_schema import document_schema, line_schema
from stovepipe_cli.reports.answers import ANSWERS


@cache
def validator(words: str, *, is_line: bool) -> Draft202012Validator:
    """What judges documents, or lines, of the command."""
    make = line_schema if is_line else document_schema
    schema = make(words, spellings_of(words), ANSWERS[words])
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def complaints(form: Mapping[str, Any], words: str, *, is_line: bool = False) -> list[str]:
    """What the schema of the command has against a document or line; nothing where it is as described."""
    found = validator(full_name(words), is_line=is_line).iter_errors(form)
    return [f"{'/'.join(map(str, each.absolute_path))}: {each.message[:300]}" for each in found]


def is_described(words: str) -> bool:
    """Whether there is such a command: a document of a mistyped one has no schema."""
    return full_name(words) in ANSWERS
