"""Throttles wait while a gauge says so, tell why and since when, and never wait without bound."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stovepipe_cli.entities.run_hold import RunHold
from stovepipe_cli.storage import open_storage
from stovepipe_cli.storage.contract import StorageUnavailable
from stovepipe_cli.work.throttle import (
    Gauge,
    HoldGauge,
    LagGauge,
    LoadGauge,
    Pace,
    Pause,
    PauseFileGauge,
    Throttle,
    ThrottledTooLong,
)
from tests.support.audits import StandingClock
from tests.support.mariadb import MariaDBServer
from tests.support.waiting import comes_true

LAG = Pause("replica lag", "9 s", "5 s", "db2")
LOAD = Pause("load", "Threads_running 80", "50", "db1")


@dataclass
class Dial:
    """A gauge that gives one answer after the other, and the last one for ever."""

    answers: list[Pause | None]
    looks: int = 0

    def look(self) -> Pause | None:
        self.looks += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@dataclass
class Setting:
    """A throttle under test, the clock it lives by, and what its listener heard."""

    clock: StandingClock = field(default_factory=StandingClock)
    heard: list[Pause | None] = field(default_factory=list)

    def throttle(
        self, gauges: Sequence[Gauge], *, rate: float | None = None, timeout_ms: int | None = None
    ) -> Throttle:
        return Throttle(
            gauges,
            Pace(self.clock, rate),
            clock=self.clock,
            timeout_ms=timeout_ms,
            listener=self.heard.append,
        )

    @property
    def slept(self) -> float:
        return round(sum(self.clock.slept), 3)


@pytest.fixture
def setting() -> Setting:
    return Setting()


def test_without_a_reason_nothing_is_waited_for(setting: Setting) -> None:
    setting.throttle([Dial([None])]).wait()
    assert setting.slept == 0


def test_the_first_reason_wins(setting: Setting) -> None:
    throttle = setting.throttle([Dial([None]), Dial([LAG]), Dial([LOAD])], timeout_ms=500)
    with pytest.raises(ThrottledTooLong, match="replica lag: 9 s, limit 5 s \\(db2\\)"):
        throttle.wait()


def test_one_reason_suffices_and_its_end_lets_work_go_on(setting: Setting) -> None:
    setting.throttle([Dial([None]), Dial([LOAD, LOAD, None])]).wait()
    assert setting.slept == 2


def test_a_pause_is_told_once_and_its_end_once(setting: Setting) -> None:
    started_ms = setting.clock.now_ms()
    setting.throttle([Dial([LAG, LAG, LAG, None])]).wait()
    assert setting.heard == [LAG.since(started_ms), None]


def test_since_when_is_kept_while_the_value_changes(setting: Setting) -> None:
    throttle = setting.throttle([Dial([LAG, Pause("replica lag", "12 s", "5 s", "db2")])], timeout_ms=3_000)
    started_ms = setting.clock.now_ms()
    with pytest.raises(ThrottledTooLong):
        throttle.wait()
    assert throttle.pause == Pause("replica lag", "12 s", "5 s", "db2", started_ms)


def test_another_reason_is_told_with_its_own_time(setting: Setting) -> None:
    started_ms = setting.clock.now_ms()
    setting.throttle([Dial([LAG, LOAD, None])]).wait()
    assert setting.heard == [LAG.since(started_ms), LOAD.since(started_ms + 1_000), None]


def test_the_throttles_own_time_bounds_the_wait(setting: Setting) -> None:
    with pytest.raises(ThrottledTooLong):
        setting.throttle([Dial([LAG])], timeout_ms=2_000).wait()
    assert setting.slept == 2


def test_the_run_time_bounds_the_wait_where_it_is_shorter(setting: Setting) -> None:
    deadline = setting.clock.monotonic() + 1
    with pytest.raises(ThrottledTooLong):
        setting.throttle([Dial([LAG])], timeout_ms=60_000).wait(deadline=deadline)
    assert setting.slept == 1


def test_a_throttle_that_waited_too_long_is_incomplete_work() -> None:
    assert ThrottledTooLong("x").exit_code == 4


def test_a_stop_ends_the_wait_at_once(setting: Setting) -> None:
    stops = iter([False, False, True])
    setting.throttle([Dial([LAG])]).wait(is_stopped=lambda: next(stops))
    assert setting.slept == pytest.approx(0.4)


def test_gauges_are_looked_at_once_a_second_at_most(setting: Setting) -> None:
    dial = Dial([None])
    throttle = setting.throttle([dial])
    for _ in range(50):
        throttle.wait()
    setting.clock.sleep(1)
    throttle.wait()
    assert dial.looks == 2


def test_a_rate_spreads_rows_over_time(setting: Setting) -> None:
    throttle = setting.throttle([], rate=100)
    for _ in range(5):
        throttle.wait()
        throttle.took(100)
    assert setting.slept == pytest.approx(4, abs=0.01)


def test_a_pause_is_not_made_up_for_by_a_burst(setting: Setting) -> None:
    throttle = setting.throttle([], rate=100)
    setting.clock.sleep(60)
    throttle.took(100)
    throttle.took(100)
    throttle.wait()
    assert setting.clock.slept[1:] == pytest.approx([0.2] * 5, abs=0.01)


def test_a_hold_says_who_put_it_why_and_since_when() -> None:
    hold = RunHold("monorepo/main", "r1", "release window", "ops@host", 1_790_000_000_000)
    assert HoldGauge(lambda: hold).look() == Pause(
        "hold", "release window", "none", "put by ops@host", 1_790_000_000_000
    )


def test_a_lifted_hold_is_no_reason() -> None:
    assert HoldGauge(lambda: None).look() is None


def test_a_ledger_that_does_not_answer_pauses() -> None:
    def find() -> RunHold | None:
        raise StorageUnavailable("the ledger does not answer")

    pause = HoldGauge(find).look()
    assert pause is not None
    assert pause.value == "unknown: the ledger does not answer"


def test_a_pause_file_pauses_for_as_long_as_it_is_there(tmp_path: Path) -> None:
    file = tmp_path / "pause"
    gauge = PauseFileGauge(file)
    before = gauge.look()
    file.touch()
    during = gauge.look()
    file.unlink()
    assert (before, during, gauge.look()) == (None, Pause("pause file", "there", "absent", f"file '{file}'"), None)


def test_a_pause_file_that_is_a_dead_link_pauses(tmp_path: Path) -> None:
    (tmp_path / "pause").symlink_to(tmp_path / "nowhere")
    assert PauseFileGauge(tmp_path / "pause").look() is not None


def test_a_pause_file_that_cannot_be_looked_for_pauses(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    pause = PauseFileGauge(tmp_path / "file" / "pause").look()
    assert pause is not None
    assert pause.value.startswith("unknown: ")


def test_a_server_below_its_load_limit_is_no_reason(mariadb_database: str) -> None:
    with open_storage(mariadb_database) as factory:
        assert LoadGauge(factory.admin, (("Threads_running", 10_000),), "db1").look() is None


def test_a_server_over_its_load_limit_pauses_with_the_value(mariadb_database: str) -> None:
    with open_storage(mariadb_database) as factory:
        pause = LoadGauge(factory.admin, (("threads_connected", 0),), "db1").look()
    assert pause is not None
    name, value = pause.value.split()
    assert (name, int(value) >= 1, pause.limit) == ("threads_connected", True, "0")


def test_a_counter_that_the_server_does_not_have_pauses(mariadb_database: str) -> None:
    with open_storage(mariadb_database) as factory:
        pause = LoadGauge(factory.admin, (("Threads_runing", 50),), "db1").look()
    assert pause is not None
    assert pause.value == "Threads_runing unknown: the server has no such counter"


def test_a_server_that_cannot_be_reached_pauses() -> None:
    with open_storage("mysql+pymysql://u@127.0.0.1:1/x") as factory:
        load = LoadGauge(factory.admin, (("Threads_running", 50),), "db1").look()
        lag = LagGauge(factory.admin, 5_000, "db1").look()
    assert load is not None
    assert lag is not None
    assert load.value.startswith("unknown: ")
    assert lag.value.startswith("unknown: ")


def test_a_server_that_is_no_replica_pauses(mariadb_database: str) -> None:
    with open_storage(mariadb_database) as factory:
        pause = LagGauge(factory.admin, 5_000, "db2").look()
    assert pause == Pause("replica lag", "unknown: the server is no running replica", "5 s", "db2")


def test_an_account_that_may_not_ask_for_the_lag_pauses(mariadb: MariaDBServer, mariadb_database: str) -> None:
    name = mariadb_database.rpartition("/")[2]
    mariadb.execute(f"CREATE USER 'nolag_{name}'@'%'")
    mariadb.execute(f"GRANT SELECT ON `{name}`.* TO 'nolag_{name}'@'%'")
    try:
        with open_storage(mariadb.url(name, user=f"nolag_{name}")) as factory:
            pause = LagGauge(factory.admin, 5_000, "db2").look()
    finally:
        mariadb.execute(f"DROP USER 'nolag_{name}'@'%'")
    assert pause is not None
    assert pause.value.startswith("unknown: ")


def test_the_lag_of_a_real_replica_is_read_and_a_stopped_one_is_blind(mariadb_template: Path, tmp_path: Path) -> None:
    with (
        MariaDBServer.start(
            tmp_path / "source", template=mariadb_template, options=("--log-bin=bin", "--server-id=1")
        ) as source,
        MariaDBServer.start(tmp_path / "copy", template=mariadb_template, options=("--server-id=2",)) as copy,
    ):
        source.execute("CREATE USER 'repl'@'%' IDENTIFIED BY 'r'")
        source.execute("GRANT REPLICATION SLAVE ON *.* TO 'repl'@'%'")
        copy.execute(
            f"CHANGE MASTER TO master_host='127.0.0.1', master_port={source.port}, master_user='repl', "
            "master_password='r', master_log_file='bin.000001', master_log_pos=4, master_delay=3600"
        )
        copy.execute("START SLAVE")
        with open_storage(copy.create_database("watched")) as factory:
            gauge = LagGauge(factory.admin, 0, "db2")
            # The source's first event is held back by the delay, and ages with every second.
            assert comes_true(lambda: _is_behind(gauge), within_seconds=30)
            copy.execute("STOP SLAVE")
            blind = gauge.look()
    assert blind == Pause("replica lag", "unknown: the server is no running replica", "0 s", "db2")


def _is_behind(gauge: LagGauge) -> bool:
    pause = gauge.look()
    return pause is not None and not pause.value.startswith("unknown") and pause.value.endswith(" s")
