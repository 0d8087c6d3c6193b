"""B2: the history of one request, beside the smallest program that reads the same rows."""

import sys

from tests.bench.databases import NO_MYSQLCLIENT, QUEUE, Site, has_mysqlclient
from tests.bench.measurement import Measurement, Outcome, Skipped
from tests.bench.processes import environment, median_times

AT_MOST = 1.15
RUNS = 11
REQUESTS = 2000
REQUEST = "1234"

SMALLEST = '''
import typer
from sqlalchemy import create_engine, text

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def main(request_id: str, queue: str = typer.Option(...), database_url: str = typer.Option(...)) -> None:
    """Print the rows of one request."""
    with create_engine(database_url).connect() as connection:

        def read(sql: str, **values: object) -> list[tuple[object, ...]]:
            return [tuple(row) for row in connection.execute(text(sql), {"queue": queue, **values})]

        (request,) = read("SELECT * FROM request WHERE queue = :queue AND id = :id", id=request_id)
        for row in read(
            "SELECT * FROM request_log WHERE queue = :queue AND request_id = :id ORDER BY timestamp_ms, log_id",
            id=request_id,
        ):
            print(*row, sep="\\t")
        read("SELECT * FROM build WHERE queue = :queue AND id = :id", id=request[7])
        read("SELECT * FROM validation_fact WHERE queue = :queue AND uri = :uri AND project = ''", uri=request[2])
        ((accepted_at_ms,),) = read(
            "SELECT accepted_at_ms FROM request_summary WHERE queue = :queue AND request_id = :id", id=request_id
        )
        read(
            "SELECT * FROM request_acceptance WHERE queue = :queue AND accepted_at_ms = :at AND request_id = :id",
            at=accepted_at_ms,
            id=request_id.encode(),
        )
        read("SELECT * FROM request_uri WHERE queue = :queue AND uri = :uri", uri=request[2])


if __name__ == "__main__":
    app()
'''


def measure(site: Site) -> list[Outcome]:
    """On both kinds of database and by each driver, the median of runs in turn."""
    directory = site.room()
    (directory / "smallest_reader.py").write_text(SMALLEST, "utf-8")
    env = environment(directory, directory)
    found: list[Outcome] = []
    for reach in (reach for database in site.queues(REQUESTS) for reach in database.reaches):
        where = ["--queue", QUEUE, "--database-url", reach.url]
        ours, smallest = median_times(
            [
                [sys.executable, "-m", "stovepipe_cli", "history", "show", REQUEST, *where],
                [sys.executable, "-m", "smallest_reader", REQUEST, *where],
            ],
            env,
            runs=RUNS,
        )
        what = f"history show over the smallest reader, {reach.name}"
        found.append(Measurement("B2", what, "ms", ours, smallest, AT_MOST))
    what = "history show over the smallest reader, MariaDB by mysqlclient"
    return found if has_mysqlclient() else [*found, Skipped("B2", what, NO_MYSQLCLIENT)]
