"""Whether a plan may be applied to the database at hand."""

from dataclasses import dataclass, replace

from stovepipe_cli.repair.apply_options import ApplyOptions
from stovepipe_cli.repair.plan_checks import Here, require_applicable
from stovepipe_cli.reports import PlanTarget, RepairPlan
from stovepipe_cli.storage.contract import ServerState, StorageReadOnly


@dataclass(frozen=True, slots=True)
class Site:
    """The database that is open: `target` as a plan would name it now, its tables, and what the server says."""

    target: PlanTarget
    schema_fingerprint: str
    server: ServerState


def require_site(plan: RepairPlan, queue: str, options: ApplyOptions, site: Site, now_ms: int) -> ApplyOptions:
    """Refuse a plan that is not for here and now, and a server that takes no writes; the options to apply it with."""
    here = Here(queue, site.target.identity, site.schema_fingerprint, now_ms)
    is_foreign = require_applicable(plan, here, accept_failover=options.accept_failover)
    if site.server.read_only and not options.dry_run:
        raise StorageReadOnly(
            f"database '{site.server.database}' on '{site.server.host}' is read-only",
            hint="apply the plan on the primary",
        )
    return replace(options, require_all_evidence=options.require_all_evidence or is_foreign)
