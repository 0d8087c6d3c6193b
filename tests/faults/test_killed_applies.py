"""An apply that is killed, or races with another one, leaves nothing that applying again does not bring to its end."""

import json
import signal
import subprocess
from collections.abc import Callable
from typing import Literal

import pytest

from tests.faults.applying import Applying, Damaged, counts_of, everything, lives, undisturbed
from tests.support.lifecycles import Life

Where = Literal["before", "behind"]
WHERE: tuple[Where, ...] = ("before", "behind")

EVERY_STATEMENT = b""
# What writes, in the order of an apply; a commit behind each of them makes it stand.
WRITES = (
    b"INSERT INTO request_summary",
    b"INSERT INTO request_log",
    b"UPDATE request_summary",
    b"INSERT INTO request_uri",
)


def kill_at(damaged: Damaged, where: Where, marker: bytes, nth: int) -> None:
    """Let an apply run until its nth statement that holds the marker, and kill it there."""
    proxy = damaged.applying.proxy
    programs: list[subprocess.Popen[str]] = []

    def kill() -> None:
        programs[0].kill()
        programs[0].wait()

    cut = {"before": proxy.cut_before, "behind": proxy.cut_behind}[where]
    cuts = proxy.cuts
    cut(marker, kill, nth=nth)
    programs.append(damaged.start(through=proxy))
    programs[0].communicate(timeout=60)
    assert (proxy.cuts, programs[0].returncode) == (cuts + 1, -signal.SIGKILL)


def statements_of(applying: Applying, damage: Callable[[str], list[Life]]) -> list[bytes]:
    """What an apply that nothing disturbs asks for."""
    damaged = applying.damaged("whole", damage)
    before = len(applying.proxy.statements)
    assert damaged.apply(through=applying.proxy)["code"] == 0
    assert damaged.rows() == undisturbed("whole", damaged.plan, damage)
    return applying.proxy.statements[before:]


def assert_applying_again_ends_it(damaged: Damaged, damage: Callable[[str], list[Life]]) -> None:
    again = damaged.apply()
    assert (again["code"], again["applied"] + again["identical"]) == (0, damaged.ready)
    assert damaged.rows() == undisturbed(damaged.queue, damaged.plan, damage)


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("marker", WRITES)
def test_applying_again_after_a_kill_at_a_write_ends_the_same(applying: Applying, marker: bytes, where: Where) -> None:
    damaged = applying.damaged("killed")
    kill_at(damaged, where, marker, 1)
    assert_applying_again_ends_it(damaged, lives)


def test_applying_again_after_a_kill_behind_a_commit_ends_the_same(applying: Applying) -> None:
    commits = [each for each in statements_of(applying, lives) if each.startswith((b"COMMIT", b"START TRANSACTION"))]
    # The first transaction that is not one of reads alone, and where it ends.
    first = next(place for place, each in enumerate(commits) if each == b"START TRANSACTION")
    nth = sum(each.startswith(b"COMMIT") for each in commits[: first + 2])
    damaged = applying.damaged("killed")
    kill_at(damaged, "behind", b"COMMIT", nth)
    assert damaged.receipts() == [], "the row was written and nobody was told"
    assert_applying_again_ends_it(damaged, lives)


@pytest.mark.soak
@pytest.mark.parametrize("where", WHERE)
def test_applying_again_after_a_kill_at_any_statement_ends_the_same(applying: Applying, where: Where) -> None:
    for nth in range(1, len(statements_of(applying, everything)) + 1):
        damaged = applying.damaged(f"killed-{nth}", everything)
        kill_at(damaged, where, EVERY_STATEMENT, nth)
        assert_applying_again_ends_it(damaged, everything)


def race(damaged: Damaged, marker: bytes, nth: int) -> tuple[dict[str, int], dict[str, int]]:
    """Hold an apply at its nth statement that holds the marker, until one of another host has ended."""
    others: list[dict[str, int]] = []
    damaged.applying.proxy.hold(marker, lambda: others.append(damaged.apply(host="other")), nth=nth)
    held = counts_of(damaged.start(through=damaged.applying.proxy))
    return held, others[0]


def assert_both_end_well(damaged: Damaged, held: dict[str, int], other: dict[str, int]) -> None:
    for counts in (held, other):
        assert (counts["code"], counts["applied"] + counts["identical"]) == (0, damaged.ready)


@pytest.mark.parametrize("marker", WRITES)
def test_two_applies_that_race_for_a_write_both_end_well(applying: Applying, marker: bytes) -> None:
    damaged = applying.damaged("raced")
    assert_both_end_well(damaged, *race(damaged, marker, 1))
    assert damaged.rows() == undisturbed("raced", damaged.plan)


def test_two_applies_at_the_same_time_both_end_well(applying: Applying) -> None:
    damaged = applying.damaged("raced", everything)
    first, second = (damaged.start(through=None, host=host) for host in ("one", "other"))
    assert_both_end_well(damaged, counts_of(first), counts_of(second))
    assert damaged.rows() == undisturbed("raced", damaged.plan, everything)


@pytest.mark.soak
def test_two_applies_that_race_at_any_statement_both_end_well(applying: Applying) -> None:
    for nth, statement in enumerate(statements_of(applying, everything), start=1):
        # Held at a commit it keeps its row locked, and the other one waits for it in vain.
        if statement.startswith(b"COMMIT"):
            continue
        damaged = applying.damaged(f"raced-{nth}", everything)
        assert_both_end_well(damaged, *race(damaged, EVERY_STATEMENT, nth))
        assert damaged.rows() == undisturbed(damaged.queue, damaged.plan, everything)


def test_of_two_applies_with_one_ledger_the_second_is_told_who_is_at_work(applying: Applying) -> None:
    damaged = applying.damaged("raced")
    others: list[tuple[int, str]] = []

    def apply_too() -> None:
        other = damaged.start(through=None)
        stdout, _ = other.communicate(timeout=60)
        others.append((other.returncode, json.loads(stdout)["errors"][0]["message"]))

    applying.proxy.hold(b"INSERT INTO request_log", apply_too)
    held = counts_of(damaged.start(through=applying.proxy))
    ((code, message),) = others
    assert code == 8
    assert "is at work" in message
    assert (held["code"], held["applied"]) == (0, damaged.ready)
    assert damaged.rows() == undisturbed("raced", damaged.plan)
