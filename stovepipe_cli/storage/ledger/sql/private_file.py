"""A ledger that is a file of this host: how it comes to be, and where it may not lie."""

import os
from contextlib import suppress
from pathlib import Path

from stovepipe_cli.errors import Refused
from stovepipe_cli.storage.sql.errors import NotADatabase

DIRECTORY_MODE = 0o700
FILE_MODE = 0o600
# On these, two hosts can open a file at once, and locks or shared memory are not what SQLite takes them for.
NETWORK_FILE_SYSTEMS = frozenset(
    {
        *("9p", "afp", "afpfs", "afs", "beegfs", "ceph", "cephfs", "cifs", "coda", "davfs", "davfs2", "gcsfuse", "gfs"),
        *(
            "gfs2",
            "gluster",
            "glusterfs",
            "gpfs",
            "juicefs",
            "lustre",
            "mfs",
            "moosefs",
            "ncpfs",
            "nfs",
            "nfs3",
            "nfs4",
        ),
        *("ocfs2", "openafs", "orangefs", "pvfs2", "rclone", "s3fs", "smb", "smb2", "smb3", "smbfs", "sshfs", "webdav"),
    }
)


def is_empty(path: Path) -> bool:
    """Whether there is no ledger at this path, not even a beginning."""
    try:
        return path.stat().st_size == 0
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        # Beyond reach, which the database says when it opens the file.
        return False


def create_file(path: Path) -> None:
    """Make an empty file that its owner alone can read, and the directories above it, where they are absent."""
    try:
        for directory in reversed(path.absolute().parents):
            with suppress(FileExistsError):
                if not directory.exists():
                    directory.mkdir(mode=DIRECTORY_MODE)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))
    except OSError as error:
        raise NotADatabase(
            f"the ledger file '{path}' cannot be created: {error.strerror}",
            hint="check the rights of its directory, or name another place with --ledger-url",
        ) from error


def reserve_copy(path: Path, version: int) -> Path:
    """A new empty file beside the ledger for its copy before an upgrade; no earlier copy is touched."""
    number = 0
    while True:
        infix = f".{number}" if number else ""
        copy = path.with_name(f"{path.name}.v{version}{infix}.bak")
        try:
            os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))
        except FileExistsError:
            number += 1
        except OSError as error:
            raise NotADatabase(
                f"the ledger file '{path}' cannot be copied before its upgrade: {error.strerror}",
                hint="check the rights and the free space of its directory",
            ) from error
        else:
            return copy


def refuse_network_file_system(path: Path) -> None:
    """`Refused` where the file lies, or would lie, on a file system that other hosts share."""
    kind = file_system_of(path)
    if _plain(kind) in NETWORK_FILE_SYSTEMS:
        raise Refused(
            f"the ledger file '{path}' lies on a network file system ({kind}), where SQLite's locks are not reliable",
            hint="keep it on a local disk, or share a ledger on MySQL or MariaDB: --ledger-url mysql://...",
        )


def file_system_of(path: Path) -> str:
    """The kind of the file system, as the system names it; empty where it does not tell."""
    # Imported late: only an SQLite ledger asks.
    import psutil  # noqa: PLC0415

    place = path.resolve()
    kinds = {Path(mount.mountpoint): mount.fstype for mount in psutil.disk_partitions(all=True)}
    return next((kinds[each] for each in (place, *place.parents) if each in kinds), "")


def _plain(kind: str) -> str:
    return kind.lower().removeprefix("fuse.").removeprefix("fuseblk.")
