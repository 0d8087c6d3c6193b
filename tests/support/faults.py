"""Storage that is disturbed on purpose: real stores, with failures and other writers at chosen calls."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, TypeVar, cast

from stovepipe_cli.storage.contract import Storage, StorageUnavailable

S = TypeVar("S")

Disturbance = Literal["fails", "answer lost"] | Callable[[], object]


class Disturbed:
    """Counts the calls of the stores it wraps, from 1, and disturbs the planned ones.

    A call `fails` without effect, or takes effect while its answer is lost; a callable runs after the call and before
    its answer is used.
    """

    def __init__(self, plan: Mapping[int, Disturbance]) -> None:
        self._plan = plan
        self.calls: list[str] = []

    def around(self, storage: Storage) -> Storage:
        """The same storage, with the stores that history uses disturbed as planned."""
        return replace(
            storage,
            requests=self._wrap("requests", storage.requests),
            request_log=self._wrap("request_log", storage.request_log),
            summaries=self._wrap("summaries", storage.summaries),
            acceptances=self._wrap("acceptances", storage.acceptances),
        )

    def call(self, name: str, action: Callable[[], object]) -> object:
        """Do the action, disturbed where that is planned for this call."""
        self.calls.append(name)
        disturbance = self._plan.get(len(self.calls))
        if disturbance == "fails":
            raise StorageUnavailable("the database is away")
        try:
            result = action()
        finally:
            if callable(disturbance):
                disturbance()
        if disturbance == "answer lost":
            raise StorageUnavailable("the answer was lost")
        return result

    def _wrap(self, name: str, store: S) -> S:
        return cast("S", _DisturbedStore(name, store, self))


class _DisturbedStore:
    def __init__(self, name: str, store: object, disturbed: Disturbed) -> None:
        self._name = name
        self._store = store
        self._disturbed = disturbed

    def __getattr__(self, method_name: str) -> Callable[..., object]:
        method = getattr(self._store, method_name)
        return lambda *args, **kwargs: self._disturbed.call(
            f"{self._name}.{method_name}", lambda: method(*args, **kwargs)
        )
