"""A primary and a real replica of it, both servers of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.mariadb import HOST, MariaDBServer
from tests.support.waiting import comes_true

DEADLINE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Replicated:
    """What is written to `primary` comes to `replica`."""

    primary: MariaDBServer
    replica: MariaDBServer

    def catch_up(self) -> None:
        """Wait until the replica has everything that the primary has."""
        file, position = self.primary.execute("SHOW MASTER STATUS")[0][:2]
        waited = self.replica.execute("SELECT MASTER_POS_WAIT(%s, %s, %s)", (file, position, DEADLINE_SECONDS))
        assert waited[0][0] is not None, "the replica does not replicate"
        assert waited[0][0] >= 0, "the replica does not catch up"

    def stop(self) -> None:
        """Let the replica fall behind by an unknown time."""
        self.replica.execute("STOP SLAVE")

    def delay(self) -> None:
        """Let the replica fall behind by a time that it knows, from the next write to the primary on."""
        self.replica.execute("STOP SLAVE")
        self.replica.execute("CHANGE MASTER TO master_delay = 3600")
        self.replica.execute("START SLAVE")

    def await_lag(self) -> None:
        """Wait until the replica says that it is behind."""

        def is_behind() -> bool:
            with self.replica.connect() as connection, connection.cursor() as cursor:
                cursor.execute("SHOW ALL SLAVES STATUS")
                names = [column[0] for column in cursor.description]
                (row,) = cursor.fetchall()
            return (row[names.index("Seconds_Behind_Master")] or 0) > 0

        assert comes_true(is_behind, within_seconds=DEADLINE_SECONDS)

    def go_on(self) -> None:
        """Let the replica follow again, at once."""
        self.replica.execute("STOP SLAVE")
        self.replica.execute("CHANGE MASTER TO master_delay = 0")
        self.replica.execute("START SLAVE")
        self.catch_up()


@contextmanager
def replicated(template: Path, directory: Path) -> Iterator[Replicated]:
    """Both servers, for as long as the block lasts."""
    source = ("--log-bin=bin", "--server-id=1")
    with (
        MariaDBServer.start(directory / "primary", template=template, options=source) as primary,
        MariaDBServer.start(directory / "replica", template=template, options=("--server-id=2",)) as replica,
    ):
        primary.execute("CREATE USER 'repl'@'%' IDENTIFIED BY 'r'")
        primary.execute("GRANT REPLICATION SLAVE ON *.* TO 'repl'@'%'")
        replica.execute(
            f"CHANGE MASTER TO master_host='{HOST}', master_port={primary.port}, master_user='repl', "
            "master_password='r', master_log_file='bin.000001', master_log_pos=4"
        )
        replica.execute("START SLAVE")
        both = Replicated(primary, replica)
        both.catch_up()
        yield both
