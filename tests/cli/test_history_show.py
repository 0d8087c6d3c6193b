"""`history show`: what its options leave out, turn round or add, in every output."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from rich.cells import cell_len

from stovepipe_cli.entities import RequestLog
from stovepipe_cli.storage.contract.mapping import log_row
from stovepipe_cli.storage.open import open_storage
from tests.cli.running import Program

QUEUE = "demo/main"
DAMAGED = "204"
LONG = "212"
MORE = 2_000


@pytest.fixture
def long(demo: Program) -> Program:
    """The damaged queue, in which one build after the other was started for a request."""
    with open_storage(demo.environ["STOVEPIPE_DATABASE_URL"]) as factory:
        storage = factory.for_queue(QUEUE)
        last = storage.request_log.list(LONG)[-1].timestamp_ms
        entries = [
            RequestLog(
                QUEUE,
                LONG,
                f"event/build_triggered/m-{number}",
                last + 1000 + number,
                event="build_triggered",
                metadata={"build_id": f"m-{number}"},
            )
            for number in range(MORE)
        ]
        storage.bulk.insert([log_row(entry) for entry in entries])
    return demo


def drawn(program: Program, *argv: str | Path, width: int = 80) -> str:
    """What a terminal shows, without its colours."""
    return program("history", "show", *argv, "--color", "never", terminal=True, width=width).stdout


def log_ids(program: Program, *argv: str) -> list[str]:
    data = program("history", "show", *argv, "-o", "json").document["data"]
    return [entry["log_id"] for entry in data["entries"]]


def test_the_newest_come_first_when_asked_for(demo: Program) -> None:
    assert log_ids(demo, DAMAGED, "--reverse") == log_ids(demo, DAMAGED)[::-1]


def test_rows_are_reversed_with_their_gaps(demo: Program) -> None:
    rows = demo("history", "show", DAMAGED, "--no-headers").rows
    assert [row[1] for row in demo("history", "show", DAMAGED, "--no-headers", "--reverse").rows] == [
        row[1] for row in reversed(rows)
    ]


def test_the_last_entries_are_shown_with_the_count_of_all(demo: Program) -> None:
    data = demo("history", "show", DAMAGED, "--tail", "1", "-o", "json").document["data"]
    assert [entry["log_id"] for entry in data["entries"]] == ["event/build_finished/b-204"]
    assert (data["entries_total"], len(data["gaps"])) == (3, 3)


def test_a_terminal_is_told_how_many_are_not_shown(demo: Program) -> None:
    text = drawn(demo, DAMAGED, "--tail", "1")
    assert "… 2 earlier entries not shown" in text
    assert "3 entries, 3 missing" in text


@pytest.mark.parametrize("number", ["0", "-1"])
def test_a_tail_of_nothing_is_refused(number: str, demo: Program) -> None:
    assert demo("history", "show", DAMAGED, f"--tail={number}").code == 2


def test_a_long_history_is_folded_on_a_terminal(long: Program) -> None:
    text = drawn(long, LONG)
    assert f"build_triggered  x {MORE:,}" in text
    assert f"{MORE + 3:,} entries ({MORE - 2:,} folded, --all shows each)" in text
    assert len(text.splitlines()) < 40


def test_every_entry_is_shown_when_asked_for(long: Program) -> None:
    assert drawn(long, LONG, "--all").count("· build_triggered") == MORE + 1


@pytest.mark.parametrize("output", ["tsv", "csv", "ndjson", "json", "table"])
def test_nothing_is_folded_in_a_pipe(output: str, long: Program) -> None:
    stdout = long("history", "show", LONG, "-o", output).stdout
    assert all(f"event/build_triggered/m-{number}" in stdout for number in (0, 1, 1711, MORE - 1))


def test_detail_shows_whole_times_and_all_metadata(demo: Program) -> None:
    plain = drawn(demo, DAMAGED)
    detailed = drawn(demo, DAMAGED, "--detail", width=200)
    assert "2025-11-26T08:13:24.500Z" in detailed
    assert "build_id b-204" in detailed
    assert "build_id b-204" not in plain


def test_gaps_stand_beside_the_command_that_mends_them(demo: Program) -> None:
    text = drawn(demo, DAMAGED, width=200)
    command = f"→ stovepipe repair plan -q {QUEUE} --request {DAMAGED}"
    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index(command) - 1].startswith("○ missing  state/1  H103 ")
    assert lines.count(command) == 2


def test_what_no_row_proves_has_no_command_beside_it(demo: Program) -> None:
    text = drawn(demo, "209", width=200)
    assert "H103" in text
    assert "repair plan" not in text


def test_a_repaired_entry_is_marked(demo: Program) -> None:
    plan = demo.home / "plan.json"
    assert demo("repair", "plan", "--request", DAMAGED, "--settle", "0", "--out", plan).code == 0
    demo("repair", "apply", plan, "--yes")
    text = drawn(demo, DAMAGED, width=200)
    assert "repaired by " in text
    marks = demo("history", "show", DAMAGED, "-o", "json").document["data"]["marks"]
    assert "repaired" in {mark["code"] for mark in marks}


@pytest.fixture
def file(demo: Program) -> Path:
    """An earlier answer about the damaged request."""
    path = demo.home / "204.json"
    path.write_text(demo("history", "show", DAMAGED, "-o", "json").stdout)
    return path


@pytest.fixture
def offline(file: Path, demo: Program) -> Program:
    """The program without a database, beside such a file."""
    assert file.exists()
    return Program(demo.home)


def test_an_earlier_answer_is_shown_without_a_database(file: Path, demo: Program, offline: Program) -> None:
    assert offline("history", "show", "--from-file", file).stdout == demo("history", "show", DAMAGED).stdout


def test_its_document_is_the_same_but_for_the_target(file: Path, offline: Program) -> None:
    document = offline("history", "show", "--from-file", file, "-o", "json").document
    assert document == json.loads(file.read_text()) | {"target": None}


def test_it_is_drawn_like_a_history_of_a_database(file: Path, offline: Program) -> None:
    text = drawn(offline, "--from-file", file, width=200)
    assert "queue       demo/main\n" in text
    assert "○ missing  state/3  H102 " in text


@pytest.mark.parametrize(
    "argv", [["--tail", "1"], ["--reverse"], ["--reverse", "--tail", "2"], ["--all"], ["--detail"]], ids=" ".join
)
def test_it_is_arranged_like_a_history_of_a_database(
    argv: list[str], file: Path, demo: Program, offline: Program
) -> None:
    shown = offline("history", "show", "--from-file", file, *argv).rows
    assert sorted(shown) == sorted(demo("history", "show", DAMAGED, *argv).rows)


def test_it_can_come_through_a_pipe(file: Path, offline: Program) -> None:
    result = offline("history", "show", "--from-file", "-", "-o", "json", stdin=file.read_text())
    assert result.document["data"]["request_id"] == DAMAGED


@pytest.mark.parametrize("argv", [[DAMAGED], ["--follow"], ["--uri", "git://x"], ["--history-since", "1"]])
def test_a_file_answers_nothing_else(argv: list[str], file: Path, offline: Program) -> None:
    result = offline("history", "show", "--from-file", file, *argv)
    assert (result.code, result.stdout) == (2, "")


@pytest.mark.parametrize(
    "content", ["", "{}", '{"schema":"stovepipe/v1"}', "[" * 100_000, "\x00", '{"schema":"\x1b[2J"}']
)
def test_a_file_that_is_no_answer_is_refused_in_a_sentence(content: str, offline: Program) -> None:
    path = offline.home / "hostile.json"
    path.write_text(content)
    result = offline("history", "show", "--from-file", path, "-o", "json")
    (error,) = result.document["errors"]
    assert (result.code, error["code"]) == (2, "invalid-input")
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize("name", ["absent.json", ".", "a\x00b"])
def test_a_file_that_cannot_be_read_is_refused(name: str, offline: Program) -> None:
    assert offline("history", "show", "--from-file", name).code == 2


def test_the_failure_of_another_command_is_no_history(demo: Program, offline: Program) -> None:
    path = offline.home / "failed.json"
    path.write_text(demo("history", "show", "999999", "-o", "json").stdout)
    result = offline("history", "show", "--from-file", path)
    assert (result.code, "holds no history" in result.stderr) == (2, True)


def test_orphans_are_an_answer(demo: Program) -> None:
    data = demo("history", "show", "211", "-o", "json").document["data"]
    assert (data["request"], len(data["entries"])) == (None, 2)


@pytest.fixture
def strange(demo: Program) -> Program:
    """A request whose history holds words of every script."""
    words: Mapping[str, str] = {
        "wide": "構建已觸發",
        "combining": "e\u0301te\u0301",
        "right-to-left": "בדיקה",
        "bidi": "\u202eabc",
        "emoji": "\U0001f600\u200d\U0001f525",
    }
    with open_storage(demo.environ["STOVEPIPE_DATABASE_URL"]) as factory:
        storage = factory.for_queue(QUEUE)
        first = storage.request_log.list(LONG)[-1].timestamp_ms
        entries = [
            RequestLog(QUEUE, LONG, f"event/{word}/{kind}", first + 1000 * at, event=word, metadata={kind: word})
            for at, (kind, word) in enumerate(words.items(), start=1)
        ]
        storage.bulk.insert([log_row(entry) for entry in entries])
    return demo


@pytest.mark.parametrize("width", [40, 59, 80, 200])
def test_words_of_every_script_stay_in_their_columns(width: int, strange: Program) -> None:
    lines = drawn(strange, LONG, width=width).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    assert not any("\u202e" in line or "\u200d" in line for line in lines)


def test_ids_stand_under_one_another_whatever_the_script(strange: Program) -> None:
    lines = drawn(strange, LONG, width=200).splitlines()
    columns = {cell_len(line[: line.index("event/")]) for line in lines if "  · " in line}
    assert len(columns) == 1


def test_tail_takes_a_number_alone(demo: Program) -> None:
    assert demo("history", "show", DAMAGED, "--tail", "many").code == 2
