"""What a request may be called."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stovepipe_cli.storage.contract.rows import RequestRow, RequestURIRow, Row
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Program

QUEUE = "demo/main"


@pytest.fixture
def commits(healthy: Program) -> Program:
    """Commits that begin alike, one that is all digits, one that two remotes have, and a second remote."""
    commits = {
        "501": "git://origin/demo/main/abcdef01",
        "502": "git://origin/demo/main/abcdef02",
        "503": "git://origin/demo/main/abc",
        "504": "git://origin/demo/main/fe0123",
        "508": "git://origin/demo/main/fe01",
        "505": "git://origin/demo/main/12345678",
        "506": "git://moved/demo/main/0ddba11",
        "507": "git://moved/demo/main/abc",
    }
    rows: list[Row] = []
    for number, uri in commits.items():
        rows += [RequestRow(number, uri, "accepted", "", "", 1, ""), RequestURIRow(uri, number, 1)]
    with open_storage(healthy.environ["STOVEPIPE_DATABASE_URL"]) as factory:
        factory.for_queue(QUEUE).bulk.insert(rows)
    return healthy


@pytest.mark.parametrize(
    ("reference", "request_id"),
    [
        ("117", "117"),
        ("@latest", "117"),
        ("@last-green", "111"),
        ("abcdef01", "501"),
        ("fe0123", "504"),
        ("fe012", "504"),
        ("fe01", "508"),
        ("12345678", "505"),
        ("1234567", "505"),
        ("0ddba11", "506"),
        ("0dd", "506"),
        ("git://moved/demo/main/0ddba11", "506"),
    ],
)
def test_a_request_is_found_by_id_number_bookmark_and_commit(reference: str, request_id: str, commits: Program) -> None:
    result = commits("history", "show", reference, "-o", "json")
    assert (result.code, result.document["data"]["request_id"]) == (0, request_id)


def test_a_request_of_the_older_form_is_found_by_its_number(program: Program, database: Callable[[str], Path]) -> None:
    program.environ |= {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('u501')}", "STOVEPIPE_QUEUE": QUEUE}
    for reference in ("192", "request/demo/main/192"):
        document = program("history", "show", reference, "-o", "json").document
        assert document["data"]["request_id"] == "request/demo/main/192"


def test_a_commit_that_fits_two_is_refused_with_both(commits: Program) -> None:
    result = commits("history", "show", "abcdef", "-o", "json")
    (error,) = result.document["errors"]
    assert (result.code, error["code"]) == (2, "usage")
    assert error["message"] == (
        "'abcdef' fits several commits: 'git://origin/demo/main/abcdef01' (request '501'), "
        "'git://origin/demo/main/abcdef02' (request '502')"
    )


def test_a_commit_that_two_remotes_have_is_refused_with_both(commits: Program) -> None:
    (error,) = commits("history", "show", "abc", "-o", "json").document["errors"]
    assert (
        "'git://moved/demo/main/abc' (request '507'), 'git://origin/demo/main/abc' (request '503')"
        in (error["message"])
    )


def test_a_short_number_is_never_taken_for_a_commit(commits: Program) -> None:
    assert commits("history", "show", "123456", "-o", "json").code == 5


def test_a_request_is_found_by_its_whole_uri(commits: Program) -> None:
    uri = "git://origin/demo/main/abcdef02"
    assert commits("history", "show", "--uri", uri, "-o", "json").document["data"]["request_id"] == "502"


@pytest.mark.parametrize("argv", [["--uri", "git://nowhere"], ["f00d"], ["request/demo/main/9"], ["999999999"]])
def test_what_names_no_request_is_not_found(argv: list[str], commits: Program) -> None:
    result = commits("history", "show", *argv, "-o", "json")
    assert (result.code, result.document["errors"][0]["code"]) == (5, "not-found")


def test_an_unknown_bookmark_is_a_usage_error(commits: Program) -> None:
    result = commits("history", "show", "@newest")
    assert result.code == 2
    assert "use @latest or @last-green" in result.stderr


@pytest.mark.parametrize("argv", [[], ["117", "--uri", "git://x"]])
def test_exactly_one_request_is_named(argv: list[str], healthy: Program) -> None:
    assert healthy("history", "show", *argv).code == 2
