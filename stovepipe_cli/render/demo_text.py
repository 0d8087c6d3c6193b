"""The demonstration as a story: a heading and a command a step, what the command answers, and what is left and why."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from shlex import quote

from stovepipe_cli.render.apply_text import apply_text
from stovepipe_cli.render.context import RenderContext
from stovepipe_cli.render.flow import flow, sentence
from stovepipe_cli.render.ink import Ink, prose
from stovepipe_cli.render.moments import counted
from stovepipe_cli.render.plan_text import plan_text
from stovepipe_cli.render.timeline import timeline
from stovepipe_cli.render.verify_text import verify_text
from stovepipe_cli.reports import DemoReport, Explained

_INDENT = 2
_PROSE_WIDTH = 80
_WIDEST_PROSE = 100


@dataclass(frozen=True, slots=True)
class _Step:
    heading: str
    command: str
    answer: Iterable[str]


def demo_text(report: DemoReport, context: RenderContext) -> Iterator[str]:
    """Every step with the command that would do the same, then each finding that is left, and the outcome."""
    told = _prose_context(context)
    yield sentence(prose(report.description), told)
    for number, step in enumerate(_steps(report, replace(context, queue=report.queue)), start=1):
        yield "\n"
        yield flow([(Ink(f"{number}.", "strong"), prose(step.heading, "strong"))], told)
        yield flow([(Ink("$"), Ink(step.command))], context)
        yield "\n"
        yield from step.answer
    if report.left or report.not_left:
        yield "\n"
        yield sentence(prose("What is left, and why", "strong"), told)
    for each in report.left:
        yield "\n"
        yield _left(each, told)
    for name in report.not_left:
        yield "\n"
        yield sentence(prose(f"{name} was expected to be left, and is gone", "warn"), told, hang=_INDENT)
    yield "\n"
    yield _outcome(report, told)


def demo_hints(report: DemoReport) -> tuple[str, ...]:
    """How to go on from a demonstration."""
    if not report.is_as_expected:
        return ("the demonstration did not end as its scenario says; please report it",)
    return ("next: stovepipe config init, then stovepipe verify -q QUEUE on a database of your own",)


def _steps(report: DemoReport, context: RenderContext) -> tuple[_Step, ...]:
    queue = quote(report.queue)
    number = quote(report.history.request_id)
    return (
        _Step(
            "A scenario with damage fills a throw-away database",
            # By its name, as a bundled scenario is loaded from anywhere.
            f"stovepipe fixtures load {quote(report.loaded.file.removesuffix('.yaml'))}",
            [sentence(prose(f"{counted(report.loaded.created, 'row')} inserted"), context)],
        ),
        _Step(
            "One request's history, with what is missing in its place",
            f"stovepipe history show -q {queue} {number}",
            timeline(report.history, context),
        ),
        _Step("The whole queue is checked", f"stovepipe verify -q {queue}", verify_text(report.before, context)),
        _Step(
            "A plan of what stored rows prove; nothing is written yet",
            f"stovepipe repair plan -q {queue} --out plan.json",
            plan_text(report.plan, context),
        ),
        _Step(
            "The plan is applied, each entry after a second look at its proof",
            f"stovepipe repair apply plan.json -q {queue}",
            apply_text(report.applied, context),
        ),
        _Step("The queue is checked again", f"stovepipe verify -q {queue}", verify_text(report.after, context)),
    )


def _left(each: Explained, context: RenderContext) -> str:
    finding = each.finding
    who = [Ink(finding.request_id)] if finding.request_id else []
    head = flow(
        [(Ink(finding.code, "bad"), Ink(finding.name)), *who], context, head=[Ink(" " * _INDENT)], hang=2 * _INDENT
    )
    why = prose(each.why) if each.why else prose("the scenario does not expect this", "warn")
    return head + sentence(why, context, hang=2 * _INDENT)


def _outcome(report: DemoReport, context: RenderContext) -> str:
    counts = f"{counted(report.before.findings_total, 'finding')}, {report.mended:,} mended, {len(report.left):,} left"
    if report.is_as_expected:
        return flow([(Ink("as expected:", "good"), prose(counts))], context)
    return flow([(Ink("not as expected:", "bad"), prose(counts))], context)


def _prose_context(context: RenderContext) -> RenderContext:
    """The story itself is wrapped everywhere, unlike the answers in it, in which data is whole off a terminal."""
    width = min(context.width, _WIDEST_PROSE) if context.is_terminal else _PROSE_WIDTH
    return replace(context, is_terminal=True, width=width)
