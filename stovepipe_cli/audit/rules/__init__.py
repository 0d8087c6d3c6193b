"""The rules that verify knows, each with its explanation, and how they are chosen."""

from stovepipe_cli.audit.rules.registry import MISSING_RULES, RULES, rules_digest
from stovepipe_cli.audit.rules.rule import PassName, Rule
from stovepipe_cli.audit.rules.selection import select_codes

__all__ = ["MISSING_RULES", "RULES", "PassName", "Rule", "rules_digest", "select_codes"]
