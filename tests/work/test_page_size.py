"""The size of a batch follows from the whole page, where to read it takes longer than to write it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from stovepipe_cli.backfill.acceptance_job import AcceptanceJob
from stovepipe_cli.backfill.options import BackfillOptions
from stovepipe_cli.storage.contract import AuditReader, AuditSnapshot
from stovepipe_cli.work import StepWatch, halve
from tests.support.audits import queue_of
from tests.support.lifecycles import accepted
from tests.work.jobs import Mappings, Site, altered


@dataclass
class Pages(Mappings):
    """Reads for a long time what it writes at once."""

    def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
        start, end = int(str(covers["from"])), int(str(covers["to"]))
        halve(range(start, end), self.write, watch, key=str, is_whole_batch=False)
        watch.lasted(40, 4.0)
        return {}


def test_the_caller_tells_how_long_a_page_took_that_is_more_than_its_writes() -> None:
    site = Site()
    result = site.work(site.start(), Pages(site.storage, 4, 4))
    assert (result.progress.size, result.progress.handled) == (5, 4)
    assert result.progress.size_reason == "40 rows took 4.00 s, 0.5 s are meant"


def test_a_backfill_that_reads_slowly_reads_less_at_a_time() -> None:
    site = Site(storage=queue_of(*(accepted(number).without("acceptance") for number in range(1, 33))))
    inner = site.storage.audit

    @contextmanager
    def slowly() -> Iterator[AuditSnapshot]:
        with inner.snapshot() as snapshot:
            site.clock.sleep(2.0)
            yield snapshot

    reader: AuditReader = altered(inner, snapshot=slowly)
    job = AcceptanceJob(replace(site.storage, audit=reader), BackfillOptions(batch=32), {}, clock=site.clock)
    result = site.work(site.start(), job)
    assert (result.run.status, result.progress.counts["mapped"]) == ("COMPLETED", 32)
    assert result.progress.size == 32 // 2, "at most to half of it at a time"
