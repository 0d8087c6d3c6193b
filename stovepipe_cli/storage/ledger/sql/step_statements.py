"""Statements on steps and events beyond those by key."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import ClauseElement, ColumnElement

from stovepipe_cli.entities.work import WHOLE_WORKFLOW
from stovepipe_cli.storage.ledger.sql.statements import Conditions, Statements
from stovepipe_cli.storage.sql.session import Statement

OPEN = b"open"
RUNNING = b"running"
PENDING = b"pending"
RUN = ("queue", "run_id")


class StepStatements(Statements):
    """The table of steps, in which step -1 stands for the workflow."""

    def lock_head(self) -> Statement:
        """Lock a workflow by a change, which a cluster sees as well: its fencing counts how often that was done."""
        return self.once(
            "lock",
            lambda: (
                sa.update(self.source)
                .where(*self.is_key(RUN), self._is_head())
                .values(fencing=self.column("fencing") + sa.literal(1))
            ),
        )

    def head(self) -> Statement:
        """Status and latest sequence of a workflow, and the clock."""
        return self.once(
            "head",
            lambda: sa.select(self.column("status"), self.column("sequence"), self.clock).where(
                *self.is_key(RUN), self._is_head()
            ),
        )

    def advance_head(self) -> Statement:
        """Set a workflow's status and latest sequence."""
        return self.once(
            "advance",
            lambda: (
                sa.update(self.source)
                .where(*self.is_key(RUN), self._is_head())
                .values(status=sa.bindparam("v_status"), sequence=sa.bindparam("v_sequence"))
            ),
        )

    def renew(self) -> Statement:
        """Move the end of a lease that is on record and has not run out."""
        until = self.clock + sa.bindparam("ttl_ms", type_=sa.BigInteger)
        return self.once("renew", lambda: self._if_held().values(lease_until_ms=until))

    def release(self) -> Statement:
        """Let such a lease run out now."""
        return self.once("release", lambda: self._if_held().values(lease_until_ms=self.clock))

    def page(self, *, has_status: bool) -> Statement:
        """Steps behind `after`, perhaps of one status."""

        def build() -> ClauseElement:
            index = self.column("step_index")
            where = [*self.is_key((*RUN, "status") if has_status else RUN), index > sa.bindparam("after")]
            return self.select([*where, index > WHOLE_WORKFLOW], order=[index], is_limited=True)

        return self.once(("page", has_status), build)

    def last(self) -> Statement:
        """The step with the highest index."""
        index = self.column("step_index")
        return self.once(
            "last",
            lambda: self.select([*self.is_key(RUN), index > WHOLE_WORKFLOW], order=[index.desc()], is_limited=True),
        )

    def live(self) -> Statement:
        """Steps with a lease that has not run out."""
        where = [self.column("status") == sa.literal(RUNNING), self.column("lease_until_ms") > self.clock]
        return self.once("live", lambda: self._of_run(where))

    def claimable(self) -> Statement:
        """Steps of an open workflow that nobody holds and nothing holds back."""
        where = [
            self.column("status").in_([sa.literal(PENDING), sa.literal(RUNNING)]),
            self.column("lease_until_ms") <= self.clock,
            self._is_of_open_workflow(),
        ]
        return self.once("claimable", lambda: self._of_run(where))

    def expired(self, *, of_run: bool) -> Statement:
        """Steps of open workflows whose lease has run out, the longest expired first."""

        def build() -> ClauseElement:
            until = self.column("lease_until_ms")
            where = [
                *self.is_key(RUN if of_run else ("queue",)),
                self.column("status") == sa.literal(RUNNING),
                until <= self.clock,
                self._is_of_open_workflow(),
            ]
            return self.select(where, order=[until, self.column("run_id"), self.column("step_index")], is_limited=True)

        return self.once(("expired", of_run), build)

    def counts(self) -> Statement:
        """How many steps of a workflow have each status."""
        status = self.column("status")
        return self.once(
            "counts",
            lambda: (
                sa.select(status, sa.func.count())
                .where(*self.is_key(RUN), self.column("step_index") > WHOLE_WORKFLOW)
                .group_by(status)
            ),
        )

    def delete_steps(self) -> Statement:
        """Every step of a workflow, which itself stays."""
        return self.once(
            "delete_steps",
            lambda: sa.delete(self.source).where(*self.is_key(RUN), self.column("step_index") > WHOLE_WORKFLOW),
        )

    def _is_head(self) -> ColumnElement[bool]:
        return self.column("step_index") == sa.literal(WHOLE_WORKFLOW)

    def _of_run(self, where: Conditions) -> ClauseElement:
        index = self.column("step_index")
        return self.select([*self.is_key(RUN), index > WHOLE_WORKFLOW, *where], order=[index], is_limited=True)

    def _if_held(self) -> sa.Update:
        return sa.update(self.source).where(
            *self.is_key(),
            *self.is_key(("worker", "fencing")),
            self.column("status") == sa.literal(RUNNING),
            self.column("lease_until_ms") > self.clock,
        )

    def _is_of_open_workflow(self) -> ColumnElement[bool]:
        head = self.source.alias("head")
        return (
            sa.select(sa.literal_column("1"))
            .select_from(head)
            .where(
                *(head.c[name] == self.column(name) for name in RUN),
                head.c["step_index"] == sa.literal(WHOLE_WORKFLOW),
                head.c["status"] == sa.literal(OPEN),
            )
            .exists()
        )


class EventStatements(Statements):
    """The table of events."""

    def by_token(self) -> Statement:
        """The event of a token."""
        return self.once("token", lambda: self.select(self.is_key((*RUN, "token"))))

    def page(self) -> Statement:
        """Events behind `after`, in order."""
        sequence = self.column("sequence")
        return self.once(
            "page",
            lambda: self.select(
                [*self.is_key(RUN), sequence > sa.bindparam("after")], order=[sequence], is_limited=True
            ),
        )

    def count(self) -> Statement:
        """How many events a workflow has, and the number of the latest."""
        sequence = self.column("sequence")
        return self.once(
            "count",
            lambda: sa.select(sa.func.count(), sa.func.coalesce(sa.func.max(sequence), 0)).where(*self.is_key(RUN)),
        )

    def of_kinds(self, kinds: Sequence[str]) -> Statement:
        """The first event of a workflow that is of these kinds."""
        chosen: list[ColumnElement[Any]] = [sa.literal(kind.encode()) for kind in kinds]
        sequence = self.column("sequence")
        return self.once(
            tuple(kinds),
            lambda: self.select(
                [*self.is_key(RUN), self.column("kind").in_(chosen)], order=[sequence], is_limited=True
            ),
        )

    def delete_up_to(self) -> Statement:
        """Events up to the number `upto`."""
        return self.once(
            "delete",
            lambda: sa.delete(self.source).where(*self.is_key(RUN), self.column("sequence") <= sa.bindparam("upto")),
        )
