"""Whether a plan may be applied here and now."""

from dataclasses import dataclass

from stovepipe_cli.repair.plan_refusal import refused
from stovepipe_cli.reports import RepairPlan


@dataclass(frozen=True, slots=True)
class Here:
    """Where a plan is about to be applied, and when."""

    queue: str
    identity: str
    schema_fingerprint: str
    now_ms: int


def require_applicable(plan: RepairPlan, here: Here, *, accept_failover: bool = False) -> bool:
    """Refuse a plan of another queue or database, an expired one, and one whose tables have changed since.

    True where `accept_failover` let another identity pass; every piece of evidence must then still be equal.
    """
    if plan.queue != here.queue:
        raise refused(f"is for queue '{plan.queue}', not for '{here.queue}'", hint=f"apply it with -q '{plan.queue}'")
    if here.now_ms >= plan.expires_at_ms:
        raise refused("has expired")
    if here.now_ms < plan.created_at_ms:
        raise refused("was made in the future", hint="compare the clocks of the two hosts, then make a new plan")
    is_foreign = plan.target.identity != here.identity
    if is_foreign and not accept_failover:
        raise refused(
            f"was made for database '{plan.target.identity}', this one is '{here.identity}'",
            hint="choose the right profile; after a failover, --accept-failover goes on where nothing else differs",
        )
    if plan.schema_fingerprint != here.schema_fingerprint:
        raise refused("was made for other tables or columns than are here now")
    return is_foreign
