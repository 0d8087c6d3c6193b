"""The options that a plan keeps, read back: those that decide what apply does must be what the planner wrote."""

from collections.abc import Mapping

from stovepipe_cli.audit.options import NO_BOUNDARY
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.repair.plan_refusal import refused
from stovepipe_cli.reports import JsonValue
from stovepipe_cli.request_id import parse_request_id

_PLACE = "options"
_FLAGS = ("allow_retention_time", "insert_only", "no_tag")
_TIMES = ("min_age_ms", "settle_ms")
_LISTS = ("select", "request_ids")
_ANSWERS = ("failed_reasons", "superseded_by")


def options_from(value: JsonValue, queue: str) -> Mapping[str, JsonValue]:
    """The options; `Refused` names what is not as it must be, since a flag of another type would read as not given."""
    if not isinstance(value, dict):
        raise refused(f"has no object at {_PLACE}")
    names = set(PlanOptions().as_recorded())
    if value.keys() - names:
        raise refused(f"has a field that no plan has, in {_PLACE}")
    if names - value.keys():
        raise refused(f"lacks '{min(names - value.keys())}' in {_PLACE}")
    for kinds, of, words in ((bool, _FLAGS, "flag"), (list, _LISTS, "array"), (dict, _ANSWERS, "object")):
        for name in of:
            if not isinstance(value[name], kinds):
                raise refused(f"has no {words} at {_PLACE}.{name}")
    for name in _TIMES:
        if not _is_time(value[name]):
            raise refused(f"has no length of time at {_PLACE}.{name}")
    if not _is_boundary(value["history_since"], queue):
        raise refused(f"has no request id of its queue at {_PLACE}.history_since")
    return value


def _is_time(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_boundary(value: JsonValue, queue: str) -> bool:
    if value is None or value == NO_BOUNDARY:
        return True
    return isinstance(value, str) and parse_request_id(queue, value) is not None
