"""The second read: candidates are looked at again, once, some time later, and only what stands becomes a finding."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from stovepipe_cli.audit.candidate import NOBODY, Candidate
from stovepipe_cli.audit.case import Case
from stovepipe_cli.audit.dossier import Dossier
from stovepipe_cli.audit.hiding import shown
from stovepipe_cli.audit.other_looks import is_drift_lasting, is_other, looked_at_again
from stovepipe_cli.audit.progress import Progress
from stovepipe_cli.audit.reading import add_builds, load
from stovepipe_cli.audit.rules import MISSING_RULES, RULES, PassName
from stovepipe_cli.audit.rules.acceptances import together
from stovepipe_cli.keys import is_text
from stovepipe_cli.reports import Finding, Read
from stovepipe_cli.reports.finding import finding_id
from stovepipe_cli.storage.contract import AuditSnapshot
from stovepipe_cli.storage.contract.rows import Key

REQUEST_PASSES: tuple[PassName, ...] = ("requests", "builds", "facts", "acceptances", "uris")

_GROUPS_AT_ONCE = 100
_CANDIDATES_AT_ONCE = 1_000

Identity = tuple[str, str, str, Key]


class Judged(NamedTuple):
    """A finding, and whether the service may still be about to write what is missing."""

    finding: Finding
    is_pending: bool


def judged(case: Case) -> Iterator[Judged]:
    """Every finding, in report order. Waits for the settle time before the second read, where there is any need.

    What a replica showed is read a second time in any case: on the primary.
    """
    has_waited = case.options.settle_ms == 0
    reads_again = case.turn_to_primary() or not has_waited
    confirmed = 0
    for batch in _batches(_due(case)):
        if not has_waited:
            case.progress(Progress("settle", 0))
            case.clock.sleep(case.options.settle_ms / 1000)
            has_waited = True
        again = _second_read(case, batch) if reads_again else None
        for group in batch:
            yield from _stand(case, group, again)
        confirmed += sum(map(len, batch))
        case.progress(Progress("confirm", confirmed))


def _due(case: Case) -> Iterator[list[Candidate]]:
    """The candidates of one request after the other, less what the boundary explains and nobody asked for."""
    for request_id, candidates in groupby(case.spill.ordered(), key=lambda each: each.request_id):
        if request_id == NOBODY:
            yield from _slices(candidates, _CANDIDATES_AT_ONCE)
            continue
        # A page that was read twice left its candidates twice.
        unique = {candidate.identity: candidate for candidate in candidates}
        group = _asked_for(case, [each for each in unique.values() if case.is_due(each)])
        if group:
            yield group


def _asked_for(case: Case, candidates: Iterable[Candidate]) -> list[Candidate]:
    group = together(candidates)
    if any(each.code in ("A403", "A404") for each in group):
        group = [each for each in group if each.code != "A401"]
    return [each for each in group if each.code in case.survey.checked]


def _stand(case: Case, group: Sequence[Candidate], again: Mapping[Identity, Candidate] | None) -> Iterator[Judged]:
    reads: dict[tuple[str, str, Key], tuple[Candidate, ...]] = {}
    for each in group:
        if again is None:
            reads[each.identity] = (each,)
        elif (each.request_id, *each.identity) in again:
            reads[each.identity] = (each, again[each.request_id, *each.identity])
    latest = [seen[-1] for seen in reads.values()]
    for candidate in shown(latest):
        # No repair writes for a request from before histories were kept.
        is_legacy = case.boundary.is_known and case.boundary.is_legacy(candidate.request_id)
        repair = None if is_legacy else _repair_command(case.queue, candidate)
        finding = _finding(case.queue, candidate, reads[candidate.identity], repair)
        yield Judged(finding, _is_pending(case.options.min_age_ms, candidate))


def _second_read(case: Case, batch: Sequence[Sequence[Candidate]]) -> dict[Identity, Candidate]:
    def work(snapshot: AuditSnapshot) -> dict[Identity, Candidate]:
        candidates = [each for group in batch for each in group]
        found = _read_requests(case, snapshot, [each for each in candidates if not is_other(each)])
        others = looked_at_again(case, snapshot, [each for each in candidates if is_other(each)])
        return found | {(each.request_id, *each.identity): each for each in others}

    found_again = case.snapshots.read(work)
    drifts = [each for each in found_again if each[1] == "Q604"]
    if drifts and not is_drift_lasting(case):
        for each in drifts:
            del found_again[each]
    return found_again


def _read_requests(case: Case, snapshot: AuditSnapshot, candidates: Sequence[Candidate]) -> dict[Identity, Candidate]:
    if not candidates:
        return {}
    evidence: dict[str, set[tuple[str, Key]]] = {}
    for each in candidates:
        evidence.setdefault(each.request_id, set()).update(((each.table, each.key), *each.evidence))
    wanted = {(each.request_id, *each.identity) for each in candidates}
    needs, judges = case.needs(*REQUEST_PASSES), case.survey.judges(*REQUEST_PASSES)
    by_entry = case.survey.judges(*REQUEST_PASSES, is_by_entry=True)
    found: dict[str, list[Candidate]] = {}

    def judge_segment(dossier: Dossier) -> None:
        add_builds(snapshot, {dossier.request_id: dossier}, needs)
        for judge in by_entry:
            seen = [each for each in judge(dossier, case.terms) if (each.request_id, *each.identity) in wanted]
            found.setdefault(dossier.request_id, []).extend(seen)

    for dossier in load(snapshot, evidence, needs, case.oversized, judge_segment).values():
        dossier.sole_build = case.sole_builds.get(dossier.request_id, "")
        for judge in judges:
            found.setdefault(dossier.request_id, []).extend(judge(dossier, case.terms))
    return {(each.request_id, *each.identity): each for group in found.values() for each in _asked_for(case, group)}


def _is_pending(min_age_ms: int, candidate: Candidate) -> bool:
    if candidate.code not in MISSING_RULES or not (candidate.is_latest and candidate.newest_ms and min_age_ms):
        return False
    return candidate.at_ms - candidate.newest_ms < min_age_ms


def _finding(queue: str, candidate: Candidate, reads: Sequence[Candidate], repair: str | None) -> Finding:
    rule = RULES[candidate.code]
    return Finding(
        id=finding_id(queue, candidate.code, candidate.subject),
        code=candidate.code,
        name=rule.name,
        severity=rule.severity,
        request_id=candidate.request_id or None,
        subject=candidate.subject,
        expected=candidate.expected,
        found=candidate.found,
        reads=tuple(Read(each.at_ms, each.found) for each in reads),
        message=candidate.message,
        repair=repair,
    )


def _repair_command(queue: str, candidate: Candidate) -> str | None:
    is_repairable = candidate.is_repairable
    if is_repairable is None:
        is_repairable = RULES[candidate.code].repaired_by is not None
    if not is_repairable:
        return None
    words = ["stovepipe", "repair", "plan", "-q", queue]
    if candidate.request_id != NOBODY:
        words += ["--request", candidate.request_id]
    # Bytes that are not UTF-8 cannot be typed as an argument.
    return shlex.join(words) if all(map(is_text, words)) else None


def _slices(candidates: Iterable[Candidate], size: int) -> Iterator[list[Candidate]]:
    part: list[Candidate] = []
    for candidate in candidates:
        part.append(candidate)
        if len(part) >= size:
            yield part
            part = []
    if part:
        yield part


def _batches(groups: Iterable[list[Candidate]]) -> Iterator[list[list[Candidate]]]:
    batch: list[list[Candidate]] = []
    size = 0
    for group in groups:
        batch.append(group)
        size += len(group)
        if len(batch) >= _GROUPS_AT_ONCE or size >= _CANDIDATES_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
