"""Every rule by its code."""

import hashlib
from collections.abc import Mapping
from types import MappingProxyType

from stovepipe_cli.audit.rules.acceptances import ACCEPTANCE_RULES
from stovepipe_cli.audit.rules.boundary import BOUNDARY_RULES
from stovepipe_cli.audit.rules.builds import BUILD_RULES, OUTCOME_RULES
from stovepipe_cli.audit.rules.degrees import DEGREE_RULES
from stovepipe_cli.audit.rules.entries import ENTRY_RULES
from stovepipe_cli.audit.rules.facts import FACT_RULES
from stovepipe_cli.audit.rules.foreign import FOREIGN_RULES
from stovepipe_cli.audit.rules.history import HISTORY_RULES, TIME_RULES
from stovepipe_cli.audit.rules.issues import ISSUE_RULES
from stovepipe_cli.audit.rules.projections import PROJECTION_RULES
from stovepipe_cli.audit.rules.queue import QUEUE_RULES
from stovepipe_cli.audit.rules.rule import Rule
from stovepipe_cli.audit.rules.uris import URI_RULES

# Silent for requests from before history began, and while the service may still be about to write what is missing.
MISSING_RULES = frozenset({"H101", "H102", "H103", "H104", "E201", "E202", "E206", "E210", "P301", "P306", "A401"})


def _registry() -> Mapping[str, Rule]:
    rules = (
        *HISTORY_RULES,
        *ENTRY_RULES,
        *TIME_RULES,
        *FOREIGN_RULES,
        *BOUNDARY_RULES,
        *BUILD_RULES,
        *FACT_RULES,
        *OUTCOME_RULES,
        *PROJECTION_RULES,
        *ACCEPTANCE_RULES,
        *URI_RULES,
        *QUEUE_RULES,
        *ISSUE_RULES,
        *DEGREE_RULES,
    )
    order = "HEPAUQID"
    return MappingProxyType(
        {rule.code: rule for rule in sorted(rules, key=lambda rule: (order.index(rule.code[0]), rule.code))}
    )


RULES: Mapping[str, Rule] = _registry()


def rules_digest() -> str:
    """Identifies what a verify looks for: the codes with their severities."""
    text = "\n".join(f"{code} {rule.severity}" for code, rule in sorted(RULES.items()))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
