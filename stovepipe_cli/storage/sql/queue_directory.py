"""Names of queues by walks over keys."""

from stovepipe_cli.keys import is_text, key_bytes
from stovepipe_cli.storage.contract import QueueDirectory, guards, refusals
from stovepipe_cli.storage.contract.tables import QUEUE, REQUEST, Table
from stovepipe_cli.storage.sql.database import Database
from stovepipe_cli.storage.sql.session import Session
from stovepipe_cli.storage.sql.table_statements import TableStatements

NAMES_A_PAGE = 500


class SQLQueueDirectory(QueueDirectory):
    """Names of the queues of one database; of names that a collation takes for one, the first row's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list_after(self, name: str | None, limit: int) -> tuple[str, ...]:
        guards.require_limit(limit)
        walks = [self._walk(table, page, name, limit) for table, page in ((QUEUE, NAMES_A_PAGE), (REQUEST, 1))]
        if all(walk is None for walk in walks):
            raise refusals.table_absent(QUEUE.name)
        names = {queue for walk in walks for queue in walk or ()}
        if name is not None:
            names = {queue for queue in names if key_bytes(queue) > key_bytes(name)}
        return tuple(sorted(names, key=key_bytes)[:limit])

    def _walk(self, table: Table, page: int, name: str | None, limit: int) -> list[str] | None:
        """Distinct names in a table, at least the first `limit` after `name`; None where the table is absent."""

        def work(session: Session) -> list[str] | None:
            statements = self._database.statements_if_there(session, table)
            if statements is None:
                return None
            if statements.shape.found.key[:1] != (table.queue_column,):
                answers = session.rows(statements.queues(is_after=False, is_distinct=True), {})
                return [answer[0] for answer in answers]
            if statements.shows_queue or not is_text(name or ""):
                # The walk follows another order than bytes, so that only its whole length has the first names.
                return _names(session, statements, None, page, None)
            return _names(session, statements, name, page, limit)

        return self._database.read(work, table.name)


def _names(
    session: Session, statements: TableStatements, after: str | None, page: int, enough: int | None
) -> list[str]:
    names: list[str] = []
    while enough is None or len(names) < enough:
        statement = statements.queues(is_after=after is not None, is_distinct=False)
        answers = session.rows(statement, {"after": after, "limit": page})
        if not answers:
            break
        names.extend(answer[0] for answer in answers)
        after = names[-1]
    return names
