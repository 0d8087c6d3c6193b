"""However the steps of several workers interleave, with deaths and lapses among them, a run ends in the same state."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import hypothesis.strategies as st
from hypothesis import given, settings

from stovepipe_cli.entities.run import Run
from stovepipe_cli.storage.contract import StorageUnavailable, VersionMismatch
from stovepipe_cli.storage.ledger.contract import StepStore, WorkflowEnded
from stovepipe_cli.work import StepWatch, Workplace
from stovepipe_cli.work.performing import JobFailed, Performer
from stovepipe_cli.work.supply import Supply
from tests.work.jobs import Mappings, Site, altered, mapped

ROWS, STEP, WORKERS = 9, 3, 3
DEEPEST = 4

Action = tuple[str, int]
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("step"), st.integers(0, WORKERS - 1)),
        st.tuples(st.sampled_from(["sleep", "die", "fail", "write"]), st.sampled_from([1, 20, 31])),
    ),
    max_size=25,
)


class Died(BaseException):
    """A worker was killed here."""


@dataclass
class Play:
    """Actions that happen one after the other, each within the step that is being done when its turn comes."""

    actions: list[Action]
    site: Site = field(default_factory=Site)
    depth: int = 0
    is_dying: bool = False

    def __post_init__(self) -> None:
        self.run = self.site.start()
        self.places = [self.site.place(ledger=replace(self.site.ledger, steps=self.steps())) for _ in range(WORKERS)]

    def steps(self) -> StepStore:
        """Steps whose leases the dead do not give back."""
        real = self.site.ledger.steps

        def release(*args: str | int, **named: int) -> None:
            if self.is_dying:
                raise StorageUnavailable("the dead give nothing back")
            real.release_lease(*args, **named)  # type: ignore[arg-type]  # passed on

        return altered(real, release_lease=release)

    def go(self) -> None:
        while self.actions:
            self.act(None)

    def act(self, covers: Mapping[str, object] | None) -> None:
        name, value = self.actions.pop(0)
        if name == "step":
            self.one_step(self.places[value])
        elif name == "sleep":
            self.site.clock.sleep(value)
        elif covers is not None and name == "die":
            self.is_dying = True
            raise Died
        elif covers is not None and name == "fail":
            raise VersionMismatch("somebody else was faster")
        elif covers is not None:
            self.job().write([int(str(covers["from"]))])

    def one_step(self, place: Workplace) -> None:
        if self.depth >= DEEPEST:
            return
        self.depth += 1
        performer = Performer(place, self.run, self.job())
        try:
            performer.join()
            held = Supply(place, self.run.run_id, performer).next()
            if held is not None:
                performer.perform(held)
        except Died:
            self.is_dying = False
        except (WorkflowEnded, JobFailed):
            pass
        finally:
            self.depth -= 1

    def job(self) -> "Played":
        return Played(self.site.storage, ROWS, STEP, play=self)


@dataclass
class Played(Mappings):
    play: Play | None = None

    def perform(self, covers: Mapping[str, object], watch: StepWatch) -> Mapping[str, object]:
        assert self.play is not None
        for _ in range(2):
            if self.play.actions:
                self.play.act(covers)
            watch.ready()
            self.write(range(int(str(covers["from"])), int(str(covers["to"])) - 1))
        return super().perform(covers, watch)


def assert_in_order(site: Site, run: Run) -> None:
    """Every step was disposed of once, by whoever held its latest lease."""
    holders: dict[int, tuple[str, int]] = {}
    disposed: list[int] = []
    for event in site.ledger.steps.load_events(run.run_id, limit=10_000):
        if event.kind == "StepStarted":
            assert event.fencing > holders.get(event.step_index, ("", 0))[1]
            holders[event.step_index] = (event.worker, event.fencing)
        elif event.kind == "StepCompleted" or event.body.get("is_final") is True:
            disposed.append(event.step_index)
            assert holders[event.step_index] == (event.worker, event.fencing)
    assert sorted(disposed) == list(range(ROWS // STEP))


@settings(max_examples=200, deadline=None)
@given(actions=ACTIONS)
def test_every_interleaving_ends_in_the_same_state(actions: list[Action]) -> None:
    play = Play(list(actions))
    play.go()
    result = play.site.work(play.run, Mappings(play.site.storage, ROWS, STEP))
    assert (result.run.status, result.stop) == ("COMPLETED", None)
    assert_in_order(play.site, play.run)
    if not result.progress.failed_steps:
        assert mapped(play.site.storage) == list(range(ROWS))
    assert result.progress.completed + result.progress.failed_steps == ROWS // STEP
