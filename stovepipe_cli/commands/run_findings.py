"""Lists of findings kept beside a ledger that is a file of this host, one a run."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from stovepipe_cli.errors import StovepipeError

if TYPE_CHECKING:
    from stovepipe_cli.commands.session import Session

DIRECTORY = "findings"
SUFFIX = ".ndjson"


def findings_directory(session: "Session") -> Path | None:
    """The directory beside the ledger; None where the ledger is a server's, or there is none."""
    access = session.config.ledger.value
    if access is None or access.target.backend != "sqlite" or access.target.path is None:
        return None
    return Path(access.target.path).parent / DIRECTORY


def findings_path(session: "Session", run_id: str | None) -> Path | None:
    """Where the list of a run goes, its directory made; None where none is kept."""
    from stovepipe_cli.files import make_directory

    directory = findings_directory(session)
    if directory is None or run_id is None:
        return None
    try:
        make_directory(directory, mode=0o700)
    except StovepipeError as error:
        session.say(f"warning: the findings are not kept beside the ledger: {error.message}")
        return None
    return directory / f"{run_id}{SUFFIX}"


def lists_before(directory: Path, before_ms: int) -> Iterator[Path]:
    """Lists that were written before a point in time."""
    # Another process may remove them meanwhile.
    with suppress(FileNotFoundError):
        for path in sorted(directory.glob(f"*{SUFFIX}")):
            if path.is_file() and path.stat().st_mtime_ns // 1_000_000 < before_ms:
                yield path
