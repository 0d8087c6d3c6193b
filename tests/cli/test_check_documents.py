"""The whole JSON document of verify."""

from typing import Any

from tests.cli.documents import FIRST, FIRST_URI, SECOND, SECOND_URI, document
from tests.cli.ledgers import ledger_of
from tests.cli.running import Program


def checked(requests: int = 5, builds: int = 2, facts: int = 2, acceptances: int = 4, uris: int = 2) -> dict[str, Any]:
    passes = {
        "requests": requests,
        "builds": builds,
        "facts": facts,
        "acceptances": acceptances,
        "uris": uris,
        "queue": 1,
        "issues": 0,
        "degrees": 0,
    }
    return {name: {"checked": number, "skipped": 0, "absent": False} for name, number in passes.items()}


def unmapped(request_id: str, uri: str, digest: str, at_ms: int) -> dict[str, Any]:
    return {
        "id": f"U501:{digest}",
        "code": "U501",
        "name": "uri-mapping-missing",
        "severity": "error",
        "request_id": request_id,
        "subject": {"table": "request_uri", "key": {"uri": uri}},
        "expected": f"a row for request '{request_id}'",
        "found": "none",
        "reads": [{"at_ms": at_ms, "found": "none"}],
        "message": f"commit '{uri}' of request '{request_id}' leads to no request",
        "repair": f"stovepipe repair plan -q demo/main --request {request_id}",
    }


def verified(**expected: object) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "run_id": None,
        "scope": None,
        "coverage": checked(),
        "counts": {},
        "findings": [],
        "findings_total": 0,
        "legacy_requests": 1,
        "pending": 0,
        "history_since": "request/demo/main/191",
        "notes": [],
        "blocking": [],
        "pending_findings": [],
        "severities": {},
        "fail_on": "error",
        "known": {},
        "known_findings": {},
    }
    return {**usual, **expected}


def latest_run(program: Program) -> str:
    with ledger_of(program) as ledger:
        (run,) = ledger.runs.runs_in_queue(limit=1)
    return run.run_id


def test_verify_with_findings(uris: Program) -> None:
    result = uris("verify", "--settle", "0", "-o", "json")
    first_ms, second_ms = (each["reads"][0]["at_ms"] for each in result.document["data"]["findings"])
    data = verified(
        run_id=latest_run(uris),
        counts={"U501": 2},
        findings=[
            unmapped(FIRST, FIRST_URI, "91fa52998b9f2b23", first_ms),
            unmapped(SECOND, SECOND_URI, "87edd8f812e4b506", second_ms),
        ],
        findings_total=2,
        severities={"error": 2},
    )
    assert result.document == document(uris, command="verify", verdict="findings", exit_code=3, data=data)
    assert result.stderr == "next: stovepipe repair plan -q demo/main\n"


def test_verify_confirms_its_findings_after_a_while(uris: Program) -> None:
    result = uris("verify", "--settle", "7s", "-o", "json")
    assert [len(finding["reads"]) for finding in result.document["data"]["findings"]] == [2, 2]
    assert uris.clock.slept == 7


def test_verify_of_a_part_names_its_scope(uris: Program) -> None:
    result = uris("verify", "--request", "@latest", "-o", "json")
    data = result.document["data"]
    assert (result.code, result.document["verdict"], data["findings"]) == (0, "clean", [])
    assert data["scope"] == "request 'request/demo/main/194'"


def test_verify_of_a_healthy_queue_is_clean(healthy: Program) -> None:
    result = healthy("verify", "-o", "json")
    data = result.document["data"]
    assert result.document == document(
        healthy,
        command="verify",
        data=verified(
            run_id=latest_run(healthy),
            legacy_requests=2,
            history_since="103",
            coverage=data["coverage"],
            notes=data["notes"],
        ),
    )
    assert all(part["checked"] for name, part in data["coverage"].items() if name not in ("issues", "degrees"))
    assert not any(part["skipped"] or part["absent"] for part in data["coverage"].values())
    assert (result.stderr, healthy.clock.slept) == ("", 0)
