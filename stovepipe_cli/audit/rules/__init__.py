"""The rules that verify knows, each with its explanation, and how they are chosen."""

from stovepipe_cli.audit.rules.registry import MISSING_RULES, RULES
from stovepipe_cli.audit.rules.rule import PassName, Rule
from stovepipe_cli.audit.rules.selection import select_codes

__all__ = ["MISSING_RULES", "RULES", "PassName", "Rule", "select_codes"]
