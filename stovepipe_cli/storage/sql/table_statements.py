"""Every statement on one table, built once from what the table really has and kept as text."""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import ClauseElement, ColumnElement

from stovepipe_cli.storage.contract.folding import FOLDED_COLUMNS, FOLDED_TIME
from stovepipe_cli.storage.contract.tables import Column
from stovepipe_cli.storage.sql.backend import Backend
from stovepipe_cli.storage.sql.catalog import Shape
from stovepipe_cli.storage.sql.folding import count_of_odd_types, differs, folded, sorted_bytewise, whole_column
from stovepipe_cli.storage.sql.ranges import Bound, beyond, up_to
from stovepipe_cli.storage.sql.session import Statement, compiled
from stovepipe_cli.storage.sql.table_values import TableValues, unknown


class TableStatements:
    """The statements of a table; their parameters are made by `values`.

    Keys compare as bytes: where a column's collation takes more for equal, an equality carries a second, exact one,
    while the first still finds the row through the index.
    """

    def __init__(self, shape: Shape, backend: Backend) -> None:
        self.shape = shape
        self.table = shape.table
        self.queue_column = shape.table.queue_column
        self.key_columns = shape.key_columns
        self.values = TableValues(shape, keeps_types=backend.keeps_types)
        self._backend = backend
        self._source = sa.table(shape.table.name, *(sa.column(column.name) for column in shape.present))
        self._statements: dict[object, Statement] = {}

    def find(self) -> Statement:
        """The row of a key."""
        return self._once("find", lambda: sa.select(*self._read()).where(*self._same(self.table.key)))

    def find_by_collation(self) -> Statement:
        """The rows that the table itself takes for one with this key, the queue last."""

        def build() -> ClauseElement:
            same = (
                self._source.c[name] == sa.bindparam(f"k_{name}")
                for name in self.shape.found.key
                if name in self.table.key
            )
            return sa.select(*self._read(), self._source.c[self.queue_column]).where(*same)

        return self._once("collation", build)

    def insert(self) -> Statement:
        """A whole row."""

        def build() -> ClauseElement:
            values: dict[str, Any] = {column.name: sa.bindparam(f"v_{column.name}") for column in self.shape.present}
            return sa.insert(self._source).values(values)

        return self._once("insert", build)

    def update(self, fields: tuple[str, ...]) -> Statement:
        """The named fields and the version, where the row has `old_version`."""

        def build() -> ClauseElement:
            names = (*(name for name in fields if self.shape.has(name)), "version")
            version = self._source.c["version"] == sa.bindparam("old_version")
            return (
                sa.update(self._source)
                .where(*self._same(self.table.key), version)
                .values({name: sa.bindparam(f"v_{name}") for name in names})
            )

        return self._once(("update", fields), build)

    def delete(self) -> Statement:
        """The row that equals another in every column."""
        names = tuple(column.name for column in self.shape.present)
        return self._once("delete", lambda: sa.delete(self._source).where(*self._same(names)))

    def page(self, after: int, upto: int) -> Statement:
        """Rows in key order behind `after` and up to `upto`, of which so many leading key parts are given (0: none)."""

        def build() -> ClauseElement:
            bounds = [self._bound(name, "after") for name in self.key_columns[:after]]
            limits = [self._bound(name, "upto") for name in self.key_columns[:upto]]
            chosen = [self._source.c[self.queue_column] == sa.bindparam(f"k_{self.queue_column}")]
            chosen += [beyond(bounds, by_row=self._backend.compares_rows)] if bounds else []
            chosen += [up_to(limits, by_row=self._backend.compares_rows)] if limits else []
            return (
                sa.select(*self._read(), *self._queue_where_inexact())
                .where(*chosen)
                .order_by(*(bound.order for bound in (self._bound(name, "after") for name in self.key_columns)))
                .limit(sa.bindparam("limit", type_=sa.Integer))
            )

        return self._once(("page", after, upto), build)

    def key_behind(self, after: int, upto: int) -> Statement:
        """The key of the row behind `after` and `skipped` more, in key order and up to `upto`."""

        def build() -> ClauseElement:
            bounds = [self._bound(name, "after") for name in self.key_columns]
            limits = [self._bound(name, "upto") for name in self.key_columns[:upto]]
            chosen = [self._source.c[self.queue_column] == sa.bindparam(f"k_{self.queue_column}")]
            chosen += [beyond(bounds[:after], by_row=self._backend.compares_rows)] if after else []
            chosen += [up_to(limits, by_row=self._backend.compares_rows)] if limits else []
            # A table of one row a queue has no key beside it, and then the row tells that it is there.
            select = sa.select(*(self._read()[: len(self.key_columns)] or self._read())).where(*chosen)
            ordered = select.order_by(*(bound.order for bound in bounds))
            return ordered.limit(sa.literal_column("1")).offset(sa.bindparam("skipped", type_=sa.Integer))

        return self._once(("key behind", after, upto), build)

    def histories(self, after: int, upto: int) -> Statement:
        """Folded histories of the log, in key order; the bounds are those of a page, of a request each."""

        def build() -> ClauseElement:
            request, queue = self._source.c["request_id"], self._source.c[self.queue_column]
            chosen = [queue == sa.bindparam(f"k_{self.queue_column}")]
            chosen += [beyond([self._bound("request_id", "after")], by_row=False)] if after else []
            chosen += [up_to([self._bound("request_id", "upto")], by_row=False)] if upto else []
            by_column = self._backend.folds_by_column
            text = folded([self._text(self.table.column(name)) for name in FOLDED_COLUMNS], is_by_column=by_column)
            times = folded([self._value(self.table.column(FOLDED_TIME))], is_by_column=by_column)
            select = sa.select(request, sa.func.count(), text, times, self._is_odd())
            # The second index has the same order, and then every row is looked up beside it.
            select = select.with_hint(self._source, "FORCE INDEX (PRIMARY)", "mysql")
            limit: ColumnElement[int] = sa.bindparam("limit", type_=sa.Integer)
            return select.where(*chosen).group_by(request).order_by(request).limit(limit)

        return self._once(("histories", after, upto), build)

    def column_page(
        self,
        listed: tuple[str, ...],
        alike: tuple[str, ...],
        at: tuple[str, ...],
        *,
        after: int,
        upto: int,
        most: int | None = None,
    ) -> Statement:
        """Rows between bounds as for a page, in one row, of those with the key parts `at`.

        How many there are, each listed column as one text, empty where there are more than `most`, the lowest of each
        column `alike`, the highest of each, and whether the rows are odd.
        """

        def build() -> ClauseElement:
            is_server = self._backend.keeps_types
            chosen = [self._source.c[self.queue_column] == sa.bindparam(f"k_{self.queue_column}")]
            by_row = self._backend.compares_rows
            if after:
                chosen.append(beyond([self._bound(name, "after") for name in self.key_columns[:after]], by_row=by_row))
            if upto:
                chosen.append(up_to([self._bound(name, "upto") for name in self.key_columns[:upto]], by_row=by_row))
            chosen += self._same(at)
            columns = [self.table.column(name) for name in (*listed, *alike)]
            texts = [whole_column(self._value(self.table.column(name)), is_server=is_server) for name in listed]
            if most is not None:
                is_few = sa.func.count() <= sa.literal_column(str(most))
                texts = [sa.case((is_few, text), else_=sa.literal_column("''")) for text in texts]
            compared = [
                sorted_bytewise(
                    self._text(self.table.column(name)),
                    is_inexact=self.shape.has(name) and not self.shape.is_byte_exact(name),
                )
                for name in alike
            ]
            extremes = [end(column) for end in (sa.func.min, sa.func.max) for column in compared]
            select = sa.select(sa.func.count(), *texts, *extremes, self._is_any_odd(columns))
            return select.with_hint(self._source, "FORCE INDEX (PRIMARY)", "mysql").where(*chosen)

        return self._once(("columns", listed, alike, at, after, upto, most), build)

    def _is_any_odd(self, columns: Sequence[Column]) -> ColumnElement[Any]:
        if not self._backend.keeps_types:
            texts = [self._value(column) for column in columns if column.kind in {"text", "json"}]
            numbers = [self._value(column) for column in columns if column.kind in {"int", "bigint"}]
            return count_of_odd_types(texts, numbers)
        if self.shows_queue:
            return differs(self._source.c[self.queue_column], sa.bindparam(f"b_{self.queue_column}"))
        return sa.literal_column("0")

    def _text(self, column: Column) -> ColumnElement[Any]:
        """MySQL has a type of its own for JSON, which is no text before it is made one."""
        value = self._value(column)
        return sa.cast(value, sa.CHAR) if column.kind == "json" and self._backend.dialect.name == "mysql" else value

    def _is_odd(self) -> ColumnElement[Any]:
        """Not zero where a group of entries is not what its request's id and its columns' types promise."""
        if not self._backend.keeps_types:
            columns = [self.table.column(name) for name in (*FOLDED_COLUMNS, FOLDED_TIME)]
            texts = [self._value(column) for column in columns if column.kind in {"text", "json"}]
            numbers = [self._value(column) for column in columns if column.kind in {"int", "bigint"}]
            return count_of_odd_types(texts, numbers)
        odd = [] if self.shape.is_byte_exact("request_id") else [differs(self._source.c["request_id"])]
        if self.shows_queue:
            odd.append(differs(self._source.c[self.queue_column], sa.bindparam(f"b_{self.queue_column}")))
        return sa.or_(*odd) if odd else sa.literal_column("0")

    @property
    def row_columns(self) -> tuple[str, ...]:
        """The fields of a row, in their order."""
        return tuple(column.name for column in self.shape.row_columns)

    @property
    def shows_queue(self) -> bool:
        """Whether a page ends each row with its queue, since the column takes different names for one."""
        return not self.shape.is_byte_exact(self.queue_column)

    def listing(
        self, prefix: tuple[str, ...], order: tuple[str, ...], *, is_after: bool, is_limited: bool, as_bytes: bool
    ) -> Statement:
        """Rows of a key prefix in byte order of `order`, from its start or behind the parameters `o_*`."""

        def build() -> ClauseElement:
            bounds = [
                self._byte_bound(name, as_bytes=as_bytes, is_descending=name in self.table.descending) for name in order
            ]
            chosen = [*self._same((self.queue_column, *prefix))]
            chosen += [beyond(bounds, by_row=self._backend.compares_rows)] if is_after else []
            select = sa.select(*self._read()).where(*chosen).order_by(*(bound.order for bound in bounds))
            return select.limit(sa.bindparam("limit", type_=sa.Integer)) if is_limited else select

        return self._once(("listing", prefix, order, is_after, is_limited, as_bytes), build)

    def newest(self, time: str, tie: str, *, is_before: bool) -> Statement:
        """Rows with `low` <= time < `below`, descending by (time, bytes of `tie`), perhaps behind `o_*`."""

        def build() -> ClauseElement:
            bounds = [self._byte_bound(name, as_bytes=False, is_descending=True) for name in (time, tie)]
            column = self._source.c[time]
            chosen = [*self._same((self.queue_column,)), column >= sa.bindparam("low"), column < sa.bindparam("below")]
            chosen += [beyond(bounds, by_row=self._backend.compares_rows)] if is_before else []
            return (
                sa.select(*self._read())
                .where(*chosen)
                .order_by(*(bound.order for bound in bounds))
                .limit(sa.bindparam("limit", type_=sa.Integer))
            )

        return self._once(("newest", time, tie, is_before), build)

    def many(self, parts: int, count: int) -> Statement:
        """Rows of `count` keys, or of that many prefixes of `parts` parts; parameters are `k_queue`, then `k<n>_*`."""
        names = self.key_columns[:parts]

        def build() -> ClauseElement:
            same_queue = sa.and_(*self._same((self.queue_column,)))
            select = sa.select(*self._read())
            if not names:
                return select.where(same_queue)
            if len(names) == 1:
                wanted: list[Any] = [sa.bindparam(f"k{number}_{names[0]}") for number in range(count)]
                return select.where(same_queue, self._source.c[names[0]].in_(wanted))
            if self._can_join(names):
                return self._join(names, count)
            # Costing each alternative on a second index too takes MariaDB longer than reading the rows.
            if self.table.index is not None and self.shape.found.key == self.table.key:
                select = select.with_hint(self._source, "FORCE INDEX (PRIMARY)", "mysql")
            # The queue stands in every alternative, so that each is a whole key for the optimiser.
            return select.where(
                sa.or_(
                    *(
                        sa.and_(
                            *self._same((self.queue_column,)),
                            *(self._source.c[name] == sa.bindparam(f"k{number}_{name}") for name in names),
                        )
                        for number in range(count)
                    )
                )
            )

        return self._once(("many", parts, count), build)

    def _can_join(self, names: Sequence[str]) -> bool:
        """Whether keys can be a derived table: on a server, where their text can be given the column's collation."""
        collations = (self.shape.found.columns[name].collation for name in names)
        return self._backend.dialect.name == "mysql" and all(
            not collation or collation.startswith("utf8mb4") for collation in collations
        )

    def _join(self, names: Sequence[str], count: int) -> ClauseElement:
        """One look-up a key, in the order of the derived table: four times as fast as alternatives on MariaDB."""
        wanted = sa.union_all(
            *(sa.select(*(self._key_part(name, number) for name in names)) for number in range(count))
        ).subquery("wanted")
        matches = (self._source.c[name] == wanted.c[name] for name in names)
        joined = wanted.join(self._source, sa.and_(*self._same((self.queue_column,)), *matches))
        return sa.select(*self._read()).select_from(joined).prefix_with("STRAIGHT_JOIN", dialect="mysql")

    def _key_part(self, name: str, number: int) -> ColumnElement[Any]:
        parameter: ColumnElement[Any] = sa.bindparam(f"k{number}_{name}")
        collation = self.shape.found.columns[name].collation
        return (sa.collate(parameter, collation) if collation else parameter).label(name)

    def queues(self, *, is_after: bool, is_distinct: bool) -> Statement:
        """The next queue name, or where the key cannot lead there all of them at once."""

        def build() -> ClauseElement:
            column = self._source.c[self.queue_column]
            select = sa.select(column).distinct() if is_distinct else sa.select(column)
            select = select.where(column > sa.bindparam("after")) if is_after else select
            return select if is_distinct else select.order_by(column).limit(sa.bindparam("limit", type_=sa.Integer))

        return self._once(("queues", is_after, is_distinct), build)

    def _once(self, name: object, build: Callable[[], ClauseElement]) -> Statement:
        statement = self._statements.get(name)
        if statement is None:
            statement = self._statements[name] = compiled(build(), self._backend.dialect)
        return statement

    def _read(self) -> list[ColumnElement[Any]]:
        return [self._value(column) for column in self.shape.row_columns]

    def _value(self, column: Column) -> ColumnElement[Any]:
        default = unknown(column)
        literal: ColumnElement[Any] = sa.literal_column("''" if isinstance(default, str) else str(default))
        if not self.shape.has(column.name):
            return literal.label(column.name)
        if self.shape.is_nullable(column.name):
            return sa.func.coalesce(self._source.c[column.name], literal).label(column.name)
        return self._source.c[column.name]

    def _same(self, names: Sequence[str]) -> list[ColumnElement[bool]]:
        alike: list[ColumnElement[bool]] = []
        for name in names:
            column = self._source.c[name]
            alike.append(column == sa.bindparam(f"k_{name}"))
            if not self.shape.is_byte_exact(name):
                alike.append(sa.cast(column, sa.LargeBinary) == sa.bindparam(f"b_{name}"))
        return alike

    def _queue_where_inexact(self) -> list[ColumnElement[Any]]:
        return [self._source.c[self.queue_column].label("of_queue")] if self.shows_queue else []

    def _bound(self, name: str, prefix: str) -> Bound:
        return Bound(
            self._source.c[name], sa.bindparam(f"{prefix}_{name}"), is_descending=name in self.table.descending
        )

    def _byte_bound(self, name: str, *, as_bytes: bool, is_descending: bool = False) -> Bound:
        """Byte order: the column's own where that is it, else that of its bytes."""
        column: ColumnElement[Any] = self._source.c[name]
        is_words = self.table.column(name).kind in {"text", "binary"}
        if is_words and not self.shape.is_binary(name) and (as_bytes or not self.shape.is_byte_exact(name)):
            return Bound(sa.cast(column, sa.LargeBinary), sa.bindparam(f"ob_{name}"), is_descending=is_descending)
        return Bound(column, sa.bindparam(f"o_{name}"), is_descending=is_descending)
