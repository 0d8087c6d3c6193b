"""A private Galera cluster of three nodes on loopback, each a server of its own."""

import contextlib
import os
import pwd
import shutil
import socket
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from tests.support.mariadb import HOST, MariaDBServer
from tests.support.waiting import comes_true

PROVIDERS = (
    Path("/usr/lib/galera/libgalera_smm.so"),
    Path("/usr/lib64/galera-4/libgalera_smm.so"),
    Path("/usr/lib/libgalera_smm.so"),
)
PROGRAMS = ("wsrep_sst_rsync", "rsync")
# Where `make test` puts the scripts of a server package that it does not install.
SCRIPTS = Path(__file__).parents[2] / ".venv" / "galera"
NODES = 3
RESTARTS = 3
DEADLINE_SECONDS = 60.0
ACCOUNT = "nobody"


def what_is_missing() -> str | None:
    """What a cluster needs and this machine lacks; None where one can be started."""
    if not any(path.exists() for path in PROVIDERS):
        return "the Galera library (galera-4)"
    absent = [program for program in PROGRAMS if shutil.which(program, path=_path()) is None]
    return f"{absent[0]} (of mariadb-server and rsync)" if absent else None


def _path() -> str:
    return os.pathsep.join((str(SCRIPTS), os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))


class GaleraNode(MariaDBServer):
    """A server that never runs as root, since rsync serves files under another account than root's."""

    def _launch(self) -> bool:
        self.environment["PATH"] = _path()
        if os.getuid() == 0:
            account = pwd.getpwnam(ACCOUNT)
            for top in (self.directory, self.socket.parent):
                for folder, _, files in os.walk(top):
                    for path in (Path(folder), *(Path(folder) / file for file in files)):
                        os.chown(path, account.pw_uid, account.pw_gid)
        return super()._launch()


class GaleraCluster:
    """Three nodes that hold the same rows. Close it, or use it as a context manager."""

    def __init__(self, directory: Path, nodes: Sequence[MariaDBServer]) -> None:
        self._directory = directory
        self.nodes = list(nodes)

    @classmethod
    def start(cls, template: Path) -> Self:
        """Start three nodes on copies of `template`; the second and third take over the first one's rows."""
        # Not below pytest's own directory, which no other account may enter.
        directory = Path(tempfile.mkdtemp(prefix="stovepipe-galera-", dir="/tmp"))
        directory.chmod(0o755)
        ports = [_free_ports() for _ in range(NODES)]
        address = "gcomm://" + ",".join(f"{HOST}:{own[0]}" for own in ports)
        with ExitStack() as opened:
            opened.callback(shutil.rmtree, directory, ignore_errors=True)
            cluster = cls(directory, [])
            for number, own in enumerate(ports):
                options = _options(own, address, f"node{number + 1}")
                # The first one has nobody to join, once.
                first = ("--wsrep-new-cluster",) if number == 0 else ()
                node = GaleraNode.start(directory / f"node{number + 1}", template=template, options=(*options, *first))
                opened.callback(node.close)
                node.options = tuple(each for each in node.options if each not in first)
                cluster.nodes.append(node)
                if not cluster.is_whole(len(cluster.nodes)):
                    raise RuntimeError(f"node {number + 1} did not join the cluster")
            opened.pop_all()
        return cluster

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every node and delete everything that they wrote."""
        for node in self.nodes:
            node.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def is_whole(self, size: int = NODES) -> bool:
        """Whether every running node sees so many members and is in step with them, soon at least."""
        running = [node for node in self.nodes if node.is_running]
        return comes_true(lambda: all(_sees(node, size) for node in running), within_seconds=DEADLINE_SECONDS)

    def kill(self, *numbers: int) -> None:
        """End nodes at once; the others notice within seconds."""
        for number in numbers:
            self.nodes[number].kill()

    def lose_quorum(self, survivor: int) -> None:
        """End every node but one, which then knows that it must not serve alone."""
        self.kill(*(number for number in range(NODES) if number != survivor))
        node = self.nodes[survivor]
        if not comes_true(lambda: _status(node)["wsrep_ready"] == "OFF", within_seconds=DEADLINE_SECONDS):
            raise RuntimeError(f"node {survivor + 1} serves alone")

    def bring_back(self) -> None:
        """Make the cluster whole again, with the rows of the nodes that still run."""
        survivors = [node for node in self.nodes if node.is_running]
        if len(survivors) == NODES:
            return
        if _status(survivors[0])["wsrep_cluster_status"] != "Primary":
            # What an operator does who knows that the others are gone.
            survivors[0].execute("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'")
        for node in self.nodes:
            if not node.is_running:
                _restart(node)
        if not self.is_whole():
            raise RuntimeError("the cluster did not become whole again")


def _restart(node: MariaDBServer) -> None:
    """A node that the others could not give their rows to in time ends again, and is started once more."""
    for _ in range(RESTARTS - 1):
        with contextlib.suppress(RuntimeError):
            node.restart()
            return
    node.restart()


def _sees(node: MariaDBServer, size: int) -> bool:
    found = _status(node)
    wanted = {"wsrep_cluster_size": str(size), "wsrep_local_state_comment": "Synced", "wsrep_ready": "ON"}
    return all(found[name] == value for name, value in wanted.items())


def _status(node: MariaDBServer) -> dict[str, str]:
    return dict(node.execute("SHOW GLOBAL STATUS LIKE 'wsrep%'"))


def _options(ports: Sequence[int], address: str, name: str) -> tuple[str, ...]:
    provider = next(path for path in PROVIDERS if path.exists())
    group, transfer, state = ports
    settings = {
        "gmcast.listen_addr": f"tcp://{HOST}:{group}",
        "ist.recv_addr": f"{HOST}:{transfer}",
        # A killed node is missed after these, not after the defaults of a cluster over long distances.
        "evs.keepalive_period": "PT0.3S",
        "evs.suspect_timeout": "PT2S",
        "evs.inactive_timeout": "PT5S",
        "gcache.size": "32M",
    }
    return (
        "--wsrep-on=ON",
        f"--wsrep-provider={provider}",
        f"--wsrep-provider-options={';'.join(f'{key}={value}' for key, value in settings.items())}",
        f"--wsrep-cluster-address={address}",
        f"--wsrep-node-address={HOST}:{group}",
        f"--wsrep-node-name={name}",
        "--wsrep-sst-method=rsync",
        f"--wsrep-sst-receive-address={HOST}:{state}",
        "--binlog-format=ROW",
        "--innodb-autoinc-lock-mode=2",
        *((f"--user={ACCOUNT}",) if os.getuid() == 0 else ()),
    )


def _free_ports() -> list[int]:
    with ExitStack() as opened:
        probes = [opened.enter_context(socket.socket()) for _ in range(3)]
        for probe in probes:
            probe.bind((HOST, 0))
        return [int(probe.getsockname()[1]) for probe in probes]
