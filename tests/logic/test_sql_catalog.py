"""What is made of the tables and columns that a database has."""

import pytest

from stovepipe_cli.storage.contract import SchemaMismatch
from stovepipe_cli.storage.contract.tables import REQUEST, REQUEST_LOG, REQUEST_SUMMARY, Table
from stovepipe_cli.storage.sql.catalog import Catalog, FoundColumn, FoundTable


def column(name: str, collation: str = "utf8mb4_general_ci", kind: str = "varchar(255)") -> FoundColumn:
    return FoundColumn(name, kind, is_nullable=False, has_default=False, collation=collation)


def found(table: Table, without: tuple[str, ...] = ()) -> FoundTable:
    names = [each.name for each in table.columns if each.name not in without]
    return FoundTable(table.name, {name: column(name) for name in names}, table.key)


@pytest.mark.parametrize("collation", ["", "BINARY", "binary", "utf8mb4_0900_bin", "utf8mb4_nopad_bin"])
def test_collations_that_compare_bytes_are_exact(collation: str) -> None:
    assert column("id", collation).is_byte_exact


@pytest.mark.parametrize(
    "collation", ["utf8mb4_general_ci", "utf8mb4_0900_ai_ci", "utf8mb4_0900_as_cs", "utf8mb4_bin", "NOCASE", "RTRIM"]
)
def test_collations_that_fold_or_pad_are_not_exact(collation: str) -> None:
    assert not column("id", collation).is_byte_exact


def test_the_message_queues_database_is_told_apart_from_the_storage() -> None:
    catalog = Catalog({"queue_messages": FoundTable("queue_messages", {"id": column("id")}, ("id",))})
    with pytest.raises(SchemaMismatch, match="message-queue database"):
        catalog.require_storage_database()


def test_messages_beside_requests_are_no_reason_to_refuse() -> None:
    messages = FoundTable("queue_messages", {"id": column("id")}, ("id",))
    Catalog({"queue_messages": messages, "request": found(REQUEST)}).require_storage_database()


def test_a_log_without_identities_is_refused_as_obsolete() -> None:
    with pytest.raises(SchemaMismatch, match="obsolete"):
        Catalog({"request_log": found(REQUEST_LOG, without=("log_id", "queue", "state"))}).shape(REQUEST_LOG)


def test_a_table_that_lacks_what_it_always_had_is_refused_by_column() -> None:
    with pytest.raises(SchemaMismatch, match="'request_summary' has no column 'state'"):
        Catalog({"request_summary": found(REQUEST_SUMMARY, without=("state",))}).shape(REQUEST_SUMMARY)


def test_a_table_that_lacks_a_later_column_is_spoken_to_without_it() -> None:
    shape = Catalog({"request": found(REQUEST, without=("base_uri",))}).shape(REQUEST)
    assert shape is not None
    assert not shape.has("base_uri")
    assert "base_uri" not in {each.name for each in shape.present}


def test_a_table_that_is_not_seen_has_no_shape() -> None:
    assert Catalog({}).shape(REQUEST) is None
