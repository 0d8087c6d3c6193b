"""Who holds a lease: a process of a host, told from every other one, also after its number was given to another."""

import os
import platform
import secrets
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_LONGEST_HOST = 64
_PARTS = 4
# Behind a process's name in its stat file: the state first, the start time (ticks since boot) seventeen fields on.
_STATE, _START = 0, 19
_DEAD = frozenset({"Z", "X", "x"})


@dataclass(frozen=True, slots=True)
class WorkerIdentity:
    """`host` tells hosts, their boots and their process namespaces apart; `started` is empty where it is not told."""

    host: str
    pid: int
    started: str
    token: str

    @property
    def name(self) -> str:
        """As leases keep it: at most 255 characters."""
        return f"{self.host}/{self.pid}/{self.started}/{self.token}"

    @classmethod
    def parse(cls, name: str) -> "WorkerIdentity | None":
        """The identity of that name; None for a name of another make."""
        parts = name.split("/")
        if len(parts) != _PARTS or not parts[1].isdecimal():
            return None
        return cls(parts[0], int(parts[1]), parts[2], parts[3])


def this_worker() -> WorkerIdentity:
    """A new identity for the process that asks; two in one process are two workers."""
    pid = os.getpid()
    state = _state_of(pid)
    return WorkerIdentity(_host(), pid, state[1] if state else "", secrets.token_hex(8))


def is_gone(name: str, here: WorkerIdentity) -> bool:
    """Whether the worker of that name was a process of `here`'s host and is certainly no more.

    False wherever that cannot be known: another host, another boot, another container.
    """
    worker = WorkerIdentity.parse(name)
    if worker is None or worker.host != here.host:
        return False
    try:
        os.kill(worker.pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        # There, and somebody else's.
        pass
    state = _state_of(worker.pid)
    if state is None:
        return False
    return state[0] in _DEAD or (worker.started != "" and state[1] != worker.started)


def _state_of(pid: int) -> tuple[str, str] | None:
    """State letter and start time of a process; None where the system does not tell."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name may hold spaces and brackets of its own.
    fields = text.rpartition(")")[2].split()
    return (fields[_STATE], fields[_START]) if len(fields) > _START else None


def _host() -> str:
    name = platform.node().replace("/", "-").encode("ascii", "replace").decode()[:_LONGEST_HOST]
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    try:
        namespace = (_PROC / "self/ns/pid").readlink().name.strip("pid:[]")
    except OSError:
        namespace = ""
    return f"{name}~{boot}~{namespace}"
