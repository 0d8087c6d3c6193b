"""Statements on runs beyond those by key."""

import sqlalchemy as sa
from sqlalchemy.sql import ClauseElement, ColumnElement

from stovepipe_cli.storage.ledger.sql.statements import Statements
from stovepipe_cli.storage.sql.ranges import Bound, beyond
from stovepipe_cli.storage.sql.session import Statement


class RunStatements(Statements):
    """The run table."""

    def touch(self) -> Statement:
        """Lock the row of a key by a change, which a cluster sees as well."""
        return self.once(
            "touch",
            lambda: sa.update(self.source).where(*self.is_key()).values(touches=self.column("touches") + sa.literal(1)),
        )

    def status(self) -> Statement:
        """The status in the row of a key."""
        return self.once("status", lambda: sa.select(self.column("status")).where(*self.is_key()))

    def newest(self, column: str | None, *, is_since: bool = False, is_before: bool = False) -> Statement:
        """Runs newest first, those with this column's value, perhaps from `since` on, perhaps behind a place."""

        def build() -> ClauseElement:
            order: list[ColumnElement[object]] = [self.column("newest_first"), self.column("run_id")]
            where = self.is_key(("queue",) if column is None else ("queue", column))
            if is_since:
                where.append(self.column("newest_first") <= sa.bindparam("since"))
            if is_before:
                bounds = [Bound(self.column(name), sa.bindparam(f"k_{name}")) for name in ("newest_first", "run_id")]
                where.append(beyond(bounds, by_row=False))
            return self.select(where, order=order, is_limited=True)

        return self.once(("newest", column, is_since, is_before), build)

    def counts(self) -> Statement:
        """How many runs of the queue have each status."""
        status = self.column("status")
        return self.once(
            "counts",
            lambda: sa.select(status, sa.func.count()).where(*self.is_key(("queue",))).group_by(status),
        )


class InvocationStatements(Statements):
    """The table of attempts."""

    def plan(self, *, is_after: bool) -> Statement:
        """Attempts of a run in plan order, perhaps behind a place."""
        names = ("step_index", "attempt", "invocation_id")

        def build() -> ClauseElement:
            where = self.is_key(("queue", "run_id"))
            if is_after:
                where.append(
                    beyond([Bound(self.column(name), sa.bindparam(f"k_{name}")) for name in names], by_row=False)
                )
            return self.select(where, order=[self.column(name) for name in names], is_limited=True)

        return self.once(("plan", is_after), build)

    def count(self) -> Statement:
        """How many attempts a run has."""
        return self.once(
            "count",
            lambda: sa.select(sa.func.count()).select_from(self.source).where(*self.is_key(("queue", "run_id"))),
        )

    def delete_all(self) -> Statement:
        """Every attempt of a run."""
        return self.once("delete_all", lambda: sa.delete(self.source).where(*self.is_key(("queue", "run_id"))))
