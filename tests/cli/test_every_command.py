"""What holds for every command; one without an entry in the table fails here."""

import re
from itertools import count
from pathlib import Path

import pytest

from tests.cli.every_command import CASES, COMMANDS, GROUPS, OF_DATABASE, NewProgram, argv_of
from tests.cli.running import ENVELOPE, Program, Result

PRETENDING = {
    "FORCE_COLOR": "1",
    "CLICOLOR_FORCE": "1",
    "TERM": "dumb",
    "COLUMNS": "20",
    "TTY_COMPATIBLE": "1",
    "TTY_INTERACTIVE": "1",
}
_RANDOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}|sha256:[0-9a-f]{64}|stovepipe-demo-\w+|sqlite:[0-9a-f]{8}"
)
_MEASURED = re.compile(r'"(server_time|server_time_ms|round_trip_ms|at_ms|finished_at_ms|since_ms)": [^,\n]+')

every = pytest.mark.parametrize("words", CASES)


def test_the_table_names_every_command() -> None:
    assert set(CASES) == set(COMMANDS)


@every
def test_json_is_one_document_when_it_worked(words: str, demo: Program) -> None:
    result = demo(*argv_of(words, demo), "-o", "json")
    assert result.code == CASES[words].code
    document = result.document
    assert document["command"] == words
    assert document["verdict"] == ("findings" if result.code else "clean")
    assert isinstance(document["data"], dict)
    assert document["errors"] == []


@every
def test_json_is_one_document_when_it_failed(words: str, demo: Program) -> None:
    argv = argv_of(words, demo)
    result = demo(*argv, "-o", "json", "--tz", "Nowhere/Else")
    assert result.code == 2
    assert_failure(result, words, "invalid-input")
    assert not (demo.home / ".config").exists(), "something was written before the option was looked at"


@every
def test_json_is_one_document_when_it_was_called_wrongly(words: str, demo: Program) -> None:
    result = demo(*argv_of(words, demo), "-o", "json", "--no-such-option")
    assert result.code == 2
    assert_failure(result, words, "usage")
    assert result.document["errors"][0]["hint"] == f"see: stovepipe {words} --help"


@pytest.mark.parametrize("words", OF_DATABASE)
def test_json_is_one_document_when_nobody_answers(words: str, demo: Program) -> None:
    argv = argv_of(words, demo)
    result = demo(*argv, "-o", "json", "--yes", "--database-url", "mysql://u@127.0.0.1:1/x")
    assert result.code == 6
    assert_failure(result, words, "storage-unavailable")
    error = result.document["errors"][0]
    assert error["retryable"] is True
    assert "127.0.0.1:1" in error["message"]
    assert len(result.stderr.splitlines()) == 1


@every
def test_ndjson_is_an_object_a_line_and_ends_with_the_summary(words: str, demo: Program) -> None:
    *items, summary = demo(*argv_of(words, demo), "-o", "ndjson").lines
    assert all(item["kind"] not in {"summary", None} for item in items)
    assert tuple(summary) == ("kind", *ENVELOPE)
    assert (summary["kind"], summary["command"], summary["exit_code"]) == ("summary", words, CASES[words].code)


@every
def test_ndjson_of_a_failure_is_its_summary(words: str, demo: Program) -> None:
    result = demo(*argv_of(words, demo), "-o", "ndjson", "--no-such-option")
    (summary,) = result.lines
    assert (summary["kind"], summary["verdict"], summary["exit_code"]) == ("summary", "error", result.code)


@every
@pytest.mark.parametrize("output", ["tsv", "csv", "json", "ndjson", "table"])
def test_a_pipe_gets_whole_plain_text_whatever_the_environment_pretends(words: str, output: str, demo: Program) -> None:
    argv = argv_of(words, demo)
    result = demo(*argv, "-o", output, environ=PRETENDING, width=20)
    assert result.code == CASES[words].code
    for text in (result.stdout, result.stderr):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text), "a control byte"
        assert "…" not in text, "a cut"


@every
def test_every_failure_to_a_pipe_is_plain_text(words: str, demo: Program) -> None:
    result = demo(*argv_of(words, demo), "--no-such-option", environ=PRETENDING, width=20)
    assert result.stdout == ""
    assert re.fullmatch(
        r"stovepipe: no such option: --no-such-option\n  see: stovepipe [a-z -]+ --help\n", result.stderr
    )


@every
def test_shared_options_mean_the_same_before_and_after(words: str, new_program: NewProgram) -> None:
    before, after = new_program(), new_program()
    shared = ["-q", "demo/main", "--output=json", "--tz", "Europe/Berlin", "--no-progress", "--run-time", "1h"]
    first = before(*shared, *argv_of(words, before))
    last = after(*argv_of(words, after), *shared)
    assert first.code == last.code == CASES[words].code
    assert comparable(first, before) == comparable(last, after)


@every
def test_shared_options_may_stand_between_a_group_and_its_command(words: str, demo: Program) -> None:
    first, *rest = argv_of(words, demo)
    result = demo(first, "-ojson", *rest)
    assert (result.code, result.document["command"]) == (CASES[words].code, words)


@every
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_has_an_example_and_exit_codes(words: str, option: str, program: Program) -> None:
    result = program(*words.split(" "), option)
    assert result.code == 0
    assert result.stderr == ""
    assert result.stdout.startswith(f"Usage: stovepipe {words} ")
    example = result.stdout.partition("Example:\n")[2].partition("\n")[0]
    assert example.strip().startswith(f"stovepipe {words}"), "no example"
    assert re.search(r"Exit codes:\n +0 ", result.stdout), "no exit codes"


@every
def test_help_names_arguments_without_their_types(words: str, program: Program) -> None:
    usage, _, rest = program(*words.split(" "), "--help").stdout.partition("\n")
    arguments = rest.partition("Arguments:\n")[2].partition("\n\n")[0]
    assert not set(usage + arguments.replace(" or -", "")) & set("<>{}")


@every
def test_help_needs_no_value_of_the_command(words: str, program: Program) -> None:
    """Also where STOVEPIPE_ variables hold nonsense."""
    nonsense = {"STOVEPIPE_DATABASE_URL": "::", "STOVEPIPE_PROFILE": "nobody", "STOVEPIPE_NO_INPUT": "perhaps"}
    assert program(*words.split(" "), "--help", environ=nonsense).code == 0


@pytest.mark.parametrize("group", GROUPS)
def test_help_of_a_group_exits_0(group: str, program: Program) -> None:
    result = program(group, "--help")
    assert (result.code, result.stderr) == (0, "")
    assert all(name in result.stdout for name in GROUPS[group].commands)


@pytest.mark.parametrize("words", [words for words in COMMANDS if " " in words])
def test_help_of_a_group_has_the_whole_first_sentence_of_each_command(words: str, program: Program) -> None:
    group, name = words.split(" ")
    told = " ".join(program(group, "--help").stdout.split())
    own = program(group, name, "--help").stdout.split("\n\n")[1]
    sentence = re.split(r"(?<=[.])\s", " ".join(own.split()))[0]
    assert f"{name} {sentence}" in told


@pytest.mark.parametrize("group", GROUPS)
def test_singular_and_plural_of_a_group_both_work(group: str, demo: Program) -> None:
    other = group.removesuffix("s") if group.endswith("s") else f"{group}s"
    for words in (words for words in CASES if words.startswith(f"{group} ")):
        _, *rest = argv_of(words, demo)
        result = demo(other, *rest, "-o", "json")
        assert result.code == CASES[words].code
        assert result.document["command"] == f"{other} {words.partition(' ')[2]}", "not the words typed"


@every
def test_quiet_says_nothing_on_stderr(words: str, demo: Program) -> None:
    argv = argv_of(words, demo)
    result = demo(*argv, "--quiet")
    assert result.stderr == ""
    assert bool(result.stdout) is bool(CASES[words].code), "a table only where something is wrong"


@every
def test_quiet_json_is_printed_all_the_same(words: str, demo: Program) -> None:
    result = demo(*argv_of(words, demo), "--quiet", "-o", "json")
    assert (result.document["command"], result.stderr) == (words, "")


@every
def test_an_output_file_takes_the_whole_answer(words: str, new_program: NewProgram) -> None:
    to_stdout, to_file = new_program(), new_program()
    expected = to_stdout(*argv_of(words, to_stdout), "-o", "json")
    file = to_file.home / "answer.out"
    result = to_file(*argv_of(words, to_file), "-o", "json", "--output-file", file)
    assert (result.code, result.stdout) == (expected.code, "")
    written = Result(result.code, file.read_text(), "")
    assert comparable(written, to_file) == comparable(expected, to_stdout)


def assert_failure(result: Result, words: str, code: str) -> None:
    document = result.document
    assert (document["command"], document["verdict"], document["data"]) == (words, "error", None)
    (error,) = document["errors"]
    assert tuple(error) == ("code", "message", "hint", "retryable")
    assert error["code"] == code
    assert error["message"][0].isascii()
    assert "!" not in error["message"]
    assert result.stderr == f"stovepipe: {error['message']}\n"


def comparable(result: Result, program: Program) -> str:
    text = result.stdout.replace(str(program.home.parent), "DIRECTORY")
    return _MEASURED.sub(r'"\1": MEASURED', _RANDOM.sub("RANDOM", text))


@pytest.fixture
def new_program(tmp_path: Path, demo: Program) -> NewProgram:
    """Makes programs, each on a damaged queue of its own in a directory of its own."""
    numbers = count()
    source = Path(demo.environ["STOVEPIPE_DATABASE_URL"].removeprefix("sqlite:///")).read_bytes()

    def new() -> Program:
        directory = tmp_path / f"place-{next(numbers)}"
        (directory / "home").mkdir(parents=True)
        (directory / "demo.db").write_bytes(source)
        return Program(directory / "home", {**demo.environ, "STOVEPIPE_DATABASE_URL": f"sqlite:///{directory}/demo.db"})

    return new
