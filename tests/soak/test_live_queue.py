"""A queue that is written to all the while: what is wrong for a moment only is never reported.

Short in every run; for minutes, and with a log that lags a whole second, with `make soak`.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.audit.verifier import verify
from stovepipe_cli.clock import SystemClock
from stovepipe_cli.fixtures_io.generating import generate
from stovepipe_cli.fixtures_io.generator import SyntheticQueue
from stovepipe_cli.reports import VerifyReport
from stovepipe_cli.storage.open import open_storage

QUEUE = "live/queue"
BEFORE = 100
CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Traffic:
    """Seconds, as the writer takes them; `settle_ms` is longer than the lag, and verify runs `verifies` times."""

    lag: float
    pause: float
    every: float
    settle_ms: int
    verifies: int


SHORT = Traffic(lag=0.15, pause=0.02, every=0.05, settle_ms=600, verifies=2)
LONG = (
    Traffic(lag=1.0, pause=0.3, every=0.05, settle_ms=3_000, verifies=12),
    Traffic(lag=0.0, pause=0.0, every=0.01, settle_ms=1_000, verifies=30),
    Traffic(lag=1.0, pause=0.0, every=0.5, settle_ms=1_500, verifies=20),
)

traffic = pytest.mark.parametrize("traffic", [SHORT, *(pytest.param(each, marks=pytest.mark.soak) for each in LONG)])


@contextmanager
def writing(url: str, traffic: Traffic) -> Iterator[None]:
    """Lifecycles are appended by another process meanwhile."""
    with open_storage(url) as factory:
        generate(factory.for_queue(QUEUE), SyntheticQueue(QUEUE, BEFORE, seed=1), into_existing=False)
    numbers = [str(each) for each in (BEFORE + 1, traffic.lag, traffic.pause, traffic.every)]
    command = [sys.executable, "-m", "tests.support.service_writer", url, QUEUE, *numbers]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT) as writer:
        try:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "writing\n"
            yield
            ended, _ = writer.communicate("", timeout=60)
            assert writer.returncode == 0
            assert int(ended) > 0, "no lifecycle came to its end, so nothing was tried"
        finally:
            writer.kill()


def look(url: str, settle_ms: int) -> VerifyReport:
    """Nothing is taken for pending, so that the second look alone decides."""
    options = VerifyOptions(settle_ms=settle_ms, min_age_ms=0, fail_on="info")
    with open_storage(url) as factory:
        return verify(factory.for_queue(QUEUE), options, clock=SystemClock())


@traffic
def test_what_is_missing_for_a_moment_is_never_reported(traffic: Traffic, url: str) -> None:
    with writing(url, traffic):
        reports = [look(url, traffic.settle_ms) for _ in range(traffic.verifies)]
        assert [[finding.message for finding in report.findings] for report in reports] == [[]] * traffic.verifies
        assert {report.verdict for report in reports} == {"clean"}
        assert reports[-1].coverage["requests"].checked > BEFORE


def test_a_single_look_does_see_the_lag(url: str) -> None:
    with writing(url, SHORT):
        looks = (look(url, 0).counts for _ in range(40))
        assert any(looks), "the writer left nothing to be seen, so that its silence proves nothing"
