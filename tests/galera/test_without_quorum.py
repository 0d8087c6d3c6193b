"""A node that has lost the others serves nothing: that is told as such, soon, and nothing is called clean."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from threading import Event

import pytest

from stovepipe_cli.storage.contract import Storage, StorageError, StorageUnavailable
from stovepipe_cli.storage.contract.rows import RequestRow
from stovepipe_cli.storage.ledger.contract import QueueLedger
from stovepipe_cli.storage.open import open_ledger, open_storage
from tests.cli.running import Process, Result
from tests.contract.ledger.samples import LONG_MS, started
from tests.contract.samples import a_request, a_summary
from tests.galera.conftest import OnCluster
from tests.support.lifecycles import put, succeeded

SURVIVOR = 1
QUEUE = "cluster/alone"
WRITTEN = "cluster/written"
DEADLINE_SECONDS = 60.0

ANSWERS = (
    "verify --settle 0",
    "verify --all-queues --settle 0",
    "history show 1",
    "queues list",
    "repair plan --settle 0",
    "backfill acceptances --apply --yes",
    "runs list",
)

# Nodes die and come back here, which a machine that is busy with other things can take minutes for.
pytestmark = pytest.mark.soak
READS: dict[str, Callable[[Storage], object]] = {
    "get": lambda s: s.requests.get(f"request/{QUEUE}/1"),
    "list": lambda s: s.acceptances.list_before(0, 2**62, None, 10),
    "absent": lambda s: s.requests.get("no such"),
}
WRITES: dict[str, Callable[[Storage], object]] = {
    "create": lambda s: s.requests.create(a_request(s.queue, "99")),
    "update": lambda s: s.summaries.update(a_summary(s.queue), old_version=1, new_version=2),
}
LEDGER_CALLS: dict[str, Callable[[QueueLedger], object]] = {
    "claim": lambda book: book.steps.claim_step("r1", 0, "w1", ttl_ms=LONG_MS),
    "find": lambda book: book.runs.find("r1"),
}


@dataclass(frozen=True, slots=True)
class Loss:
    """What came of everything that was tried on the node that was left, and before and after.

    `look` is how a look ended that was under way, `writing` how many rows a writer was told of and how it ended.
    """

    answers: dict[str, Result]
    calls: dict[str, type[BaseException] | None]
    look: type[BaseException] | None
    writing: tuple[int, type[BaseException]]
    written: list[set[str]]


def outcome(act: Callable[[], object]) -> type[BaseException] | None:
    try:
        act()
    except StorageError as error:
        return type(error)
    return None


def written_until_it_fails(storage: Storage, has_begun: Event) -> tuple[int, type[BaseException]]:
    """How many rows were written one after the other, and the failure that ended this."""
    count = 0
    while True:
        try:
            storage.requests.create(a_request(storage.queue, str(count)))
        except StorageError as error:
            return count, type(error)
        count += 1
        has_begun.set()


def run_one(program: Process, environ: Mapping[str, str], words: str) -> Result:
    return program(*words.split(), "-o", "json", environ=environ)


@pytest.fixture(scope="module")
def loss(clustered_database: OnCluster, tmp_path_factory: pytest.TempPathFactory) -> Loss:
    cluster, url = clustered_database.cluster, clustered_database.url(SURVIVOR)
    program = Process(tmp_path_factory.mktemp("alone"))
    environ = {"STOVEPIPE_DATABASE_URL": url, "STOVEPIPE_LEDGER_URL": url, "STOVEPIPE_QUEUE": QUEUE}
    with open_storage(url) as factory, open_ledger(url) as ledger, ThreadPoolExecutor(1) as pool:
        storage, book = factory.for_queue(QUEUE), started(ledger.for_queue(QUEUE))
        put(storage, succeeded(1, queue=QUEUE), succeeded(2, queue=QUEUE))
        has_begun = Event()
        writer = pool.submit(written_until_it_fails, factory.for_queue(WRITTEN), has_begun)
        has_begun.wait(DEADLINE_SECONDS)
        with storage.audit.snapshot() as snapshot:
            snapshot.page(RequestRow, after=None, limit=1)
            cluster.lose_quorum(SURVIVOR)
            look = outcome(lambda: snapshot.page(RequestRow, after=None, limit=1))
        calls = {name: outcome(partial(act, storage)) for name, act in (READS | WRITES).items()}
        calls |= {name: outcome(partial(act, book)) for name, act in LEDGER_CALLS.items()}
        # Each of them waits more than it works.
        with ThreadPoolExecutor(len(ANSWERS)) as many:
            run = partial(run_one, program, environ)
            answers = dict(zip(ANSWERS, many.map(run, ANSWERS), strict=True))
        writing = writer.result(DEADLINE_SECONDS)
    cluster.bring_back()
    written: list[set[str]] = []
    for each in clustered_database.urls:
        with open_storage(each) as factory, factory.for_queue(WRITTEN).audit.snapshot() as snapshot:
            page = snapshot.page(RequestRow, after=None, limit=writing[0] + 10)
            written.append({row.id for row in page.rows})
    return Loss(answers, calls, look, writing, written)


@pytest.mark.parametrize("words", ANSWERS)
def test_a_command_says_that_the_database_is_unavailable(loss: Loss, words: str) -> None:
    document = loss.answers[words].document
    assert (document["exit_code"], document["verdict"]) == (6, "error"), document
    assert document["errors"][0]["retryable"]


@pytest.mark.parametrize("name", [*READS, *WRITES, *LEDGER_CALLS])
def test_a_store_gives_up_as_unavailable(loss: Loss, name: str) -> None:
    assert loss.calls[name] is StorageUnavailable


def test_a_look_that_is_under_way_ends_as_unavailable(loss: Loss) -> None:
    assert loss.look is StorageUnavailable


def test_a_writer_ends_as_unavailable_and_everything_it_was_told_of_is_there(loss: Loss) -> None:
    count, failure = loss.writing
    assert failure is StorageUnavailable
    told = {str(number) for number in range(count)}
    # Of the row that it was not told of, it is not known whether it is there; every node says the same.
    assert loss.written[0] - told <= {str(count)}
    assert [told <= rows for rows in loss.written] == [True] * 3
    assert loss.written == [loss.written[0]] * 3
