"""The digest that a plan carries of itself: a guard against accident, not against malice."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from stovepipe_cli.reports import JsonValue, RepairPlan, canonical_json, json_form

DIGEST_FIELD = "digest"


def document_digest(document: Mapping[str, JsonValue]) -> str:
    """`sha256:` and the digest of the canonical JSON of a plan's document without its digest."""
    content = {name: value for name, value in document.items() if name != DIGEST_FIELD}
    return "sha256:" + hashlib.sha256(canonical_json(content).encode()).hexdigest()


def sealed(plan: RepairPlan) -> RepairPlan:
    """The plan with the digest of its content."""
    return replace(plan, digest=document_digest(plan_document(plan)))


def plan_document(plan: RepairPlan) -> Mapping[str, JsonValue]:
    """The plan as the JSON object that its file and the `data` of its output hold."""
    document = json_form(plan)
    if not isinstance(document, Mapping):
        message = "a plan's JSON form is an object"
        raise TypeError(message)
    return document
