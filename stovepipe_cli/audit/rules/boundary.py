"""Whether history still begins where it once did: H118. Judged on what an earlier verify left on record."""

from stovepipe_cli.audit.rules.rule import Rule

BOUNDARY_RULES = (
    Rule(
        "H118",
        "history-boundary-moved",
        "error",
        "History begins at a higher request than an earlier verify of the whole queue saw. Requests below where it "
        "begins are taken to be from before histories were kept, so those between have lost theirs without any other "
        "finding: somebody purged the log, or restored it from a backup that lacks a part. An earlier verify left in "
        "the ledger where history began; without a ledger, or where history_since says where it begins, this is not "
        "looked for. Look at what was lost with --history-since and the request that the finding names. Where the "
        "log was shortened on purpose, say so with history_since in the profile, and the finding is gone.",
        None,
        ("requests",),
        ("request", "request_log"),
    ),
)
