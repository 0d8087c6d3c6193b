"""The SQL form of a plan, run by the servers' own clients, writes what applying writes."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.repair.plan_digest import sealed
from stovepipe_cli.repair.plan_options import PlanOptions
from stovepipe_cli.repair.sql_script import columns_of, sql_script
from stovepipe_cli.repair.sql_words import Dialect, comment, text
from stovepipe_cli.repair.undo_script import undo_script
from stovepipe_cli.reports import RepairPlan
from stovepipe_cli.storage.contract import StorageFactory
from stovepipe_cli.storage.contract.rows import RequestSummaryRow
from stovepipe_cli.storage.open import open_storage
from tests.support.lifecycles import Life, accepted, failed, put, succeeded
from tests.support.mariadb import MariaDBServer
from tests.support.repairs import Repairs, comparable
from tests.support.scripts import run_in_mariadb, run_in_sqlite
from tests.support.service_tables import create_service_tables

LEAVE = PlanOptions(allow_retention_time=True)
# The lives may lie in the future of the server's clock, which decides what is pending.
LOOK = VerifyOptions(settle_ms=0, min_age_ms=0)
HOSTILE_QUEUE = "mono'repo\\\"main%_`;\n-- x é\N{COLLISION SYMBOL}"


@dataclass
class Server:
    """Two databases of one kind, and the client that runs scripts on them."""

    dialect: Dialect
    applied: StorageFactory
    scripted: StorageFactory
    run: Callable[[str], None]
    run_on_applied: Callable[[str], None]


@pytest.fixture(params=["sqlite", "mariadb-service-tables"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    if request.param == "sqlite":
        urls = [f"sqlite:///{tmp_path / name}" for name in ("applied.db", "scripted.db")]
        with open_storage(urls[0]) as applied, open_storage(urls[1]) as scripted:
            for factory in (applied, scripted):
                factory.admin.create_tables()
            yield Server(
                "sqlite",
                applied,
                scripted,
                run=lambda script: run_in_sqlite(tmp_path / "scripted.db", script),
                run_on_applied=lambda script: run_in_sqlite(tmp_path / "applied.db", script),
            )
        return
    private: MariaDBServer = request.getfixturevalue("mariadb")
    names = [private.unused_name("script") for _ in range(2)]
    urls = [private.create_database(name) for name in names]
    for name in names:
        with contextlib.closing(private.connect(name)) as connection:
            create_service_tables(connection, "mysql")
    with open_storage(urls[0]) as applied, open_storage(urls[1]) as scripted:
        yield Server(
            "mysql",
            applied,
            scripted,
            run=lambda script: run_in_mariadb(private, names[1], script),
            run_on_applied=lambda script: run_in_mariadb(private, names[0], script),
        )
    for name in names:
        private.drop_database(name)


def lives(queue: str) -> list[Life]:
    """Damage of every kind that a plan mends, of requests whose ids hold the queue's name."""
    odd = accepted(5, queue=queue).state("superseded", "superseded_by_newer_head")
    return [
        succeeded(1, queue=queue),
        succeeded(2, queue=queue).drop("state/1", "state/2", "state/3"),
        succeeded(3, queue=queue).lose("state/3").without("uri"),
        succeeded(4, queue=queue).without("summary", "acceptance").drop("state/3"),
        odd.without("acceptance"),
        accepted(6, queue=queue).without("summary"),
    ]


def planned(server: Server, queue: str) -> tuple[Repairs, Repairs, RepairPlan]:
    """The same damage on both sides, and the plan for it."""
    sides = []
    for factory in (server.applied, server.scripted):
        storage = factory.for_queue(queue)
        put(storage, *lives(queue))
        sides.append(Repairs(storage, look=LOOK))
    return sides[0], sides[1], sides[0].plan(LEAVE)


@pytest.mark.parametrize("queue", ["monorepo/main", HOSTILE_QUEUE], ids=["plain", "hostile"])
def test_the_script_writes_what_applying_writes(server: Server, queue: str) -> None:
    applied, scripted, made = planned(server, queue)
    assert applied.apply(made).exit_code == 0
    server.run(sql_script(made, server.dialect, columns_of(scripted.storage)))
    assert comparable(scripted.rows(), made) == comparable(applied.rows(), made)
    assert {entry.status for entry in scripted.plan(LEAVE).entries} <= {"not-derivable"}


def test_the_script_writes_nothing_a_second_time(server: Server) -> None:
    _, scripted, made = planned(server, "monorepo/main")
    script = sql_script(made, server.dialect, columns_of(scripted.storage))
    server.run(script)
    after = scripted.rows()
    server.run(script)
    assert scripted.rows() == after


def test_the_script_writes_nothing_for_a_request_whose_evidence_has_changed(server: Server) -> None:
    _, scripted, made = planned(server, "monorepo/main")
    for request_id in {entry.request_id for entry in made.entries}:
        request = scripted.storage.requests.get(request_id)
        moved = replace(request, uri=f"{request.uri}/moved", state="failed", build_strategy="full")
        scripted.storage.requests.update(moved, old_version=request.version, new_version=request.version + 1)
    for row in list(scripted.rows().values()):
        if isinstance(row, RequestSummaryRow):
            summary = scripted.storage.summaries.get(row.request_id)
            other = replace(summary, accepted_at_ms=7, state="cancelled")
            scripted.storage.summaries.update(other, old_version=row.version, new_version=row.version + 1)
    before = scripted.rows()
    entries = [entry for entry in made.entries if entry.request_id.rpartition("/")[2] in ("2", "3", "5")]
    changed = sealed(replace(made, entries=tuple(entries)))
    server.run(sql_script(changed, server.dialect, columns_of(scripted.storage)))
    assert scripted.rows() == before


def test_an_empty_plan_is_comments_alone(server: Server) -> None:
    storage = server.scripted.for_queue("monorepo/main")
    put(storage, succeeded(1), failed(2))
    made = Repairs(storage, look=LOOK).plan()
    script = sql_script(made, "sqlite", columns_of(storage))
    assert all(line.startswith("-- ") for line in script.splitlines())


@pytest.mark.parametrize("hostile", ["a\nDROP TABLE request;", "a\r\nb", "a\u2028b", "a\x00b", "a\\b"])
def test_a_comment_never_ends_before_its_line(hostile: str) -> None:
    shown = comment(hostile)
    assert len(shown.splitlines()) == 1
    assert shown.isascii()


@pytest.mark.parametrize("value", ["it's", "back\\slash", "new\nline", "é", "\N{COLLISION SYMBOL}", "plain-1/2"])
def test_text_needs_no_quoting_mode(value: str) -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        assert connection.execute(f"SELECT {text(value, 'sqlite')}").fetchone() == (value,)
    assert "\\" not in text(value, "mysql")
    assert text(value, "mysql").count("'") == 2


def test_what_was_inserted_can_be_taken_out_again(server: Server) -> None:
    applied, _, made = planned(server, HOSTILE_QUEUE)
    before = applied.rows()
    report = applied.apply(made)
    undo = undo_script(report.receipt.written, HOSTILE_QUEUE, server.dialect, columns_of(applied.storage))
    server.run_on_applied(undo)
    after = applied.rows()
    assert after.keys() == before.keys()
    updated = {("request_summary", (str(row.key["request_id"]),)) for row in report.receipt.written if row.before}
    assert {place for place, row in before.items() if after[place] != row} <= updated


def test_taking_out_leaves_rows_that_have_changed_since(server: Server) -> None:
    applied, _, made = planned(server, "monorepo/main")
    report = applied.apply(made)
    inserted = next(row for row in report.receipt.written if row.table == "request_log")
    other_run = replace(inserted, after={**inserted.after, "metadata": {"repair_run_id": "another"}})
    after = applied.rows()
    server.run_on_applied(undo_script([other_run], "monorepo/main", server.dialect, columns_of(applied.storage)))
    assert applied.rows() == after
