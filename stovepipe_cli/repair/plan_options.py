"""What a plan is asked for, and what the operator answers where no row does."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.errors import InvalidInput, UsageError
from stovepipe_cli.repair.decision import OperatorDecisions
from stovepipe_cli.repair.failed_reason import FAILED_REASONS
from stovepipe_cli.reports import JsonValue
from stovepipe_cli.request_id import request_order
from stovepipe_cli.storage.contract import NotFound, Storage

DEFAULT_EXPIRES_MS = 24 * 60 * 60 * 1000

# What no repair exists for selects nothing, and says so. P307 is here for the one case in which its cause is a lost
# entry: the entry is written back, and the summary, which no repair may set right, fits it again.
REPAIRABLE_CODES = (
    "H101",
    "H102",
    "H103",
    "H104",
    "E201",
    "E202",
    "E206",
    "P301",
    "P302",
    "P303",
    "P306",
    "P307",
    "A401",
    "U501",
    "Q605",
)


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """`select` holds codes or prefixes, `request_ids` narrows to requests; times are milliseconds.

    `failed_reasons` and `superseded_by` answer by request id. `is_detailed` lets the exit code tell whether there is
    anything to do. `verify` says how damage is looked for; its own
    selection and requests are not used.
    """

    select: tuple[str, ...] = ()
    request_ids: tuple[str, ...] = ()
    expires_ms: int = DEFAULT_EXPIRES_MS
    failed_reasons: Mapping[str, str] = field(default_factory=dict)
    superseded_by: Mapping[str, str] = field(default_factory=dict)
    allow_retention_time: bool = False
    insert_only: bool = False
    no_tag: bool = False
    is_detailed: bool = False
    verify: VerifyOptions = field(default_factory=VerifyOptions)

    def validate(self) -> None:
        """Raise `UsageError` where options exclude each other, `InvalidInput` for an answer that cannot be one."""
        if self.allow_retention_time and self.no_tag:
            raise UsageError(
                "--allow-retention-time and --no-tag exclude each other",
                hint="an entry with the time of its insertion must stay recognisable: leave --no-tag out",
            )
        if self.expires_ms <= 0:
            raise UsageError("a plan cannot expire before it is made", hint="give --expires a length of time, as 24h")
        for code in self.select:
            if not any(known.startswith(code) for known in REPAIRABLE_CODES):
                raise UsageError(
                    f"nothing that repair can mend has code '{code}'",
                    hint=f"select from {', '.join(REPAIRABLE_CODES)}, or their beginnings",
                )
        for request_id, reason in self.failed_reasons.items():
            if reason not in FAILED_REASONS:
                raise InvalidInput(
                    f"'{reason}' is no reason why request '{request_id}' can have failed",
                    hint=f"use one of {', '.join(sorted(FAILED_REASONS))}",
                )

    def require_known_requests(self, storage: Storage) -> None:
        """Raise `InvalidInput` for an answer about a request that does not exist or is not of the state asked about."""
        for request_id in self.failed_reasons:
            _require_state(storage, request_id, "failed")
        for request_id, newer in self.superseded_by.items():
            _require_state(storage, request_id, "superseded")
            _require_request(storage, newer)
            if request_order(storage.queue, newer) <= request_order(storage.queue, request_id):
                raise InvalidInput(
                    f"request '{newer}' is not newer than '{request_id}' and cannot have superseded it",
                    hint="name the request that was the newer head at that time",
                )

    def selects(self, code: str) -> bool:
        """Whether damage of this code is to be planned for."""
        return code in REPAIRABLE_CODES and (not self.select or any(code.startswith(each) for each in self.select))

    def operator(self, request_id: str) -> OperatorDecisions:
        """What the operator says of one request."""
        return OperatorDecisions(
            allow_retention_time=self.allow_retention_time,
            failed_reason=self.failed_reasons.get(request_id, ""),
            superseded_by=self.superseded_by.get(request_id, ""),
        )

    def as_recorded(self) -> Mapping[str, JsonValue]:
        """The options as a plan keeps them."""
        return {
            "select": list(self.select),
            "request_ids": list(self.request_ids),
            "failed_reasons": dict(self.failed_reasons),
            "superseded_by": dict(self.superseded_by),
            "allow_retention_time": self.allow_retention_time,
            "insert_only": self.insert_only,
            "no_tag": self.no_tag,
            "history_since": self.verify.history_since,
            "min_age_ms": self.verify.min_age_ms,
            "settle_ms": self.verify.settle_ms,
        }


def _require_state(storage: Storage, request_id: str, state: str) -> None:
    found = _require_request(storage, request_id)
    if found != state:
        raise InvalidInput(
            f"request '{request_id}' is '{found}', not '{state}'", hint="check the id that the answer was given for"
        )


def _require_request(storage: Storage, request_id: str) -> str:
    try:
        return storage.requests.get(request_id).state
    except NotFound as error:
        raise InvalidInput(
            f"request '{request_id}' does not exist in queue '{storage.queue}'", hint="check the spelling of the id"
        ) from error
