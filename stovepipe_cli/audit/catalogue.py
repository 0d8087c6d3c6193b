"""The registry of rules as reports."""

from stovepipe_cli.audit.rules import RULES
from stovepipe_cli.errors import UsageError
from stovepipe_cli.near_names import did_you_mean
from stovepipe_cli.reports import ListReport
from stovepipe_cli.reports.rules import RuleItem, RuleReport


def list_rules() -> ListReport[RuleItem]:
    """Every rule, by the part of the database it is about and then by code."""
    items = tuple(RuleItem(rule.code, rule.name, rule.severity, rule.repaired_by) for rule in RULES.values())
    return ListReport(items, next_cursor=None, item_type=RuleItem)


def explain_rule(code: str) -> RuleReport:
    """One rule in full, by its code or its name; `UsageError` where there is none."""
    wanted = code.strip()
    named = {rule.name: rule for rule in RULES.values()}
    rule = RULES.get(wanted.upper()) or named.get(wanted.lower())
    if rule is None:
        near = did_you_mean(wanted, (*RULES, *named), most=1, cutoff=0.5)
        hint = " ".join(filter(None, (near, "see 'stovepipe rules list'")))
        raise UsageError(f"no rule is called '{code}'", hint=hint)
    return RuleReport(rule.code, rule.name, rule.severity, rule.explanation, rule.repaired_by, rule.tables)
