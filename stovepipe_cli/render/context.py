"""How an answer is to be written: format, terminal, width, colour, zone, and what the envelope says around it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Literal

OutputFormat = Literal["table", "tsv", "json", "ndjson", "csv"]
OUTPUT_FORMATS: tuple[OutputFormat, ...] = ("table", "tsv", "json", "ndjson", "csv")


@dataclass(frozen=True, slots=True)
class TargetView:
    """The database an answer came from."""

    profile: str | None
    origin: str
    host: str
    database: str
    server_version: str | None


@dataclass(frozen=True, slots=True)
class ReplicaView(TargetView):
    """A replica of that database, which was so far behind; None where that is not known."""

    replica_lag_ms: int | None


@dataclass(frozen=True, slots=True)
class ErrorView:
    """A failure in the envelope."""

    code: str
    message: str
    hint: str | None
    retryable: bool


@dataclass(frozen=True, slots=True)
class RenderContext:
    """`width` counts terminal cells; `columns` empty means all; `colour` is decided already.

    `zone` None is the machine's own zone, whose name `zone_name` gives. `detail` asks for all that is folded or left
    out on a terminal; off it nothing ever is. `place` is the options by which the database was named, for the commands
    that are advised.
    """

    command: str
    queue: str | None = None
    target: TargetView | None = None
    output: OutputFormat = "tsv"
    is_terminal: bool = False
    width: int = 80
    colour: bool = False
    zone: tzinfo | None = UTC
    zone_name: str = "UTC"
    columns: Sequence[str] = field(default=())
    headers: bool = True
    now_ms: int = 0
    ascii_only: bool = False
    detail: bool = False
    place: str = ""
