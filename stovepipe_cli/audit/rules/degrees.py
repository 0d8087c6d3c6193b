"""Whether project facts and their mappings by degree fit each other: D801 to D803."""

from stovepipe_cli.audit.candidate import NOBODY, Candidate
from stovepipe_cli.audit.rules.rule import Rule
from stovepipe_cli.storage.contract.rows import Key, ProjectFactByDegreeRow, ValidationFactRow

MAPPING = "project_fact_by_degree"


def fact_is_mapped(fact: ValidationFactRow, at_ms: int) -> Candidate:
    """D801: for a project fact without any mapping."""
    key: Key = (fact.uri, fact.degree, fact.project)
    message = f"no mapping by degree leads to the fact of project '{fact.project}' at '{fact.uri}'"
    return Candidate("D801", fact.request_id, MAPPING, key, "a mapping", "none", message, at_ms=at_ms)


def mapped_fact_agrees(mapping: ProjectFactByDegreeRow, fact: ValidationFactRow | None, at_ms: int) -> Candidate | None:
    """D802 and D803."""
    key: Key = (mapping.uri, mapping.degree, mapping.project)
    where = f"the mapping by degree of project '{mapping.project}' at '{mapping.uri}'"
    if fact is None:
        return Candidate("D802", NOBODY, MAPPING, key, "a fact", "none", f"{where} has no fact", at_ms=at_ms)
    if fact.degree == mapping.degree:
        return None
    message = f"{where} says {mapping.degree:g}, and the fact {fact.degree:g}"
    return Candidate("D803", fact.request_id, MAPPING, key, fact.degree, mapping.degree, message, at_ms=at_ms)


DEGREE_RULES = (
    Rule(
        "D801",
        "degree-mapping-missing",
        "info",
        "A project fact has no mapping by degree. Facts from before the mappings began have none, which is normal; a "
        "newer one is left out of pages that are ordered by degree.",
        None,
        ("degrees",),
        ("validation_fact", MAPPING),
    ),
    Rule(
        "D802",
        "degree-mapping-dangling",
        "error",
        "A mapping by degree leads to no fact. Pages by degree fail on it or skip it. The fact is written first, so it "
        "was deleted.",
        None,
        ("degrees",),
        ("validation_fact", MAPPING),
    ),
    Rule(
        "D803",
        "degree-mapping-mismatch",
        "error",
        "A mapping keeps another degree than its fact has, so pages by degree show the project in the wrong place. "
        "Neither ever changes; one of them was edited.",
        None,
        ("degrees",),
        ("validation_fact", MAPPING),
    ),
)
