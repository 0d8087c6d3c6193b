"""The published JSON Schemas describe what commands print: all of it, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from stovepipe_cli import reports
from stovepipe_cli.entities import OpenIssue
from stovepipe_cli.render.projection import LINES
from stovepipe_cli.reports.answers import ANSWERS
from stovepipe_cli.storage.open import open_storage
from tests.cli.described import complaints
from tests.cli.every_command import CASES, COMMANDS, OF_DATABASE, argv_of
from tests.cli.running import ENVELOPE, Program, Result

every = pytest.mark.parametrize("words", CASES)
both = pytest.mark.parametrize("is_line", [False, True], ids=["document", "line"])


def test_every_command_says_what_it_answers() -> None:
    assert set(ANSWERS) == set(COMMANDS)


@every
@both
def test_a_schema_is_a_json_schema_of_its_own_identifier(words: str, is_line: object, program: Program) -> None:
    schema = json.loads(program("schema", *words.split(" "), *(["--lines"] if is_line else [])).stdout)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:stovepipe:v1:{words.replace(' ', '-')}:{'line' if is_line else 'document'}"


@pytest.mark.parametrize("words", OF_DATABASE)
def test_what_is_said_of_a_database_without_rows_is_as_described(
    words: str, demo: Program, database: Callable[[str], Path]
) -> None:
    argv = argv_of(words, demo)
    empty = {"STOVEPIPE_DATABASE_URL": f"sqlite:///{database('empty')}"}
    document = demo(*argv, "-o", "json", environ=empty).document
    assert complaints(document, words) == []


@every
def test_a_document_that_is_not_as_described_is_noticed(words: str, demo: Program) -> None:
    """What every other test relies on that asks for a document."""
    document = demo(*argv_of(words, demo), "-o", "json").document
    data = document["data"]
    error = {"code": "usage", "message": "m", "hint": None, "retryable": False}
    wrong: dict[str, dict[str, Any]] = {
        "a key more": {"data": {**data, "key_of_a_later_release": 1}},
        "a key less": {"data": dict(list(data.items())[1:])},
        "a verdict that is none": {"verdict": "fine"},
        "a code that is none": {"exit_code": 9},
        "data and errors": {"errors": [error]},
        "neither": {"data": None},
        "another command": {"command": "verify all"},
    }
    assert complaints(document, words) == []
    assert [name for name, change in wrong.items() if not complaints(document | change, words)] == []


def test_both_spellings_of_a_command_are_described(demo: Program) -> None:
    for words in ("queue show", "queues show"):
        assert complaints(demo(*words.split(" "), "-o", "json").document, "queues show") == []


def test_a_verify_of_several_queues_is_described_beside_that_of_one(demo: Program) -> None:
    assert "queues" in demo("verify", "--settle", "0", "--all-queues", "-o", "json").document["data"]
    lines = demo("verify", "--settle", "0", "--all-queues", "-o", "ndjson").lines
    assert {line["kind"] for line in lines} == {"queue-summary", "summary"}


def test_an_identifier_that_is_no_text_is_described(healthy: Program) -> None:
    with open_storage(healthy.environ["STOVEPIPE_DATABASE_URL"]) as factory:
        factory.for_queue("demo/main").open_issues.create(OpenIssue("demo/main", "t\udcff", "", "b-1"))
    document = healthy("issues", "list", "-o", "json").document
    assert document["data"]["items"][0]["task_id"] == {"base64": "dP8="}
    document["data"]["items"][0]["task_id"] = {"base64": "dP8=", "text": "t"}
    assert complaints(document, "issues list") != []


def test_a_time_beside_its_milliseconds_is_described_as_one(healthy: Program) -> None:
    document = healthy("history", "show", "117", "-o", "json").document
    document["data"]["entries"][0]["time"] = "3 November"
    assert complaints(document, "history show") != []


def test_properties_stand_in_the_order_of_the_document(program: Program) -> None:
    schema = json.loads(program("schema", "verify").stdout)
    assert tuple(schema["properties"]) == tuple(schema["required"]) == ENVELOPE


def test_without_a_command_all_are_listed_with_their_identifiers(program: Program) -> None:
    items = program("schema", "-o", "json").document["data"]["items"]
    assert [item["command"] for item in items] == sorted(COMMANDS)
    for item in items:
        for form, flags in (("document", ()), ("line", ("--lines",))):
            assert json.loads(program("schema", item["command"], *flags).stdout)["$id"] == item[form]


def test_the_words_may_be_one_argument_and_of_either_number(program: Program) -> None:
    expected = program("schema", "queues", "show").stdout
    assert program("schema", "queue show").stdout == program("schema", "queue", "show").stdout == expected


def test_json_holds_the_schema_as_its_answer(program: Program) -> None:
    data = program("schema", "verify", "-o", "json").document["data"]
    assert data == {"described": "verify", "json_schema": json.loads(program("schema", "verify").stdout)}


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("verfy", "did you mean 'verify'?"),
        ("QUEUES SHOW", "did you mean 'queues show'?"),
        ("repair", "did you mean 'repair plan' or 'repair apply'?"),
        ("zzz", "'stovepipe schema' lists them"),
    ],
)
def test_a_mistyped_command_is_refused_with_what_was_meant(typed: str, hint: str, program: Program) -> None:
    result = program("schema", *typed.split(" "))
    assert result == Result(2, "", f"stovepipe: there is no command '{typed}'\n  {hint}\n")


def test_every_field_that_ndjson_takes_apart_is_one_of_its_report() -> None:
    for kind, kinds in LINES.items():
        assert set(kinds) <= set(getattr(reports, kind).__dataclass_fields__)
