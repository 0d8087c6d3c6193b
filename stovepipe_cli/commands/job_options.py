"""The options of commands that work for long and write: how many at once, and what holds them back."""

from typing import Annotated

import typer

Workers = Annotated[int, typer.Option("--workers", metavar="N", help="Processes that share the work.")]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask", metavar="SCHEDULER", help="Let --workers processes of this Dask cluster work beside this one."
    ),
]
Rate = Annotated[str | None, typer.Option("--rate", metavar="N", help="Most rows a second, of each worker.")]
MaxLag = Annotated[
    str | None, typer.Option("--max-lag", metavar="TIME", help="Pause while a replica is further behind than this.")
]
LagURL = Annotated[
    list[str] | None,
    typer.Option("--lag-url", metavar="URL", help="A replica whose lag is measured, without a password; repeatable."),
]
MaxLoad = Annotated[
    str | None,
    typer.Option(
        "--max-load", metavar="NAME=N,...", help="Pause above these status counters (Threads_running=50), or none."
    ),
]
PauseFile = Annotated[
    str | None, typer.Option("--pause-file", metavar="FILE", help="Pause for as long as this file is there.")
]
MaxFailureShare = Annotated[
    float | None,
    typer.Option("--max-failure-share", metavar="SHARE", help="Stop when more of the rows than this fail (0.05)."),
]
Lease = Annotated[
    str | None,
    typer.Option("--lease", metavar="TIME", help="How long a worker may be silent before others take over (30s)."),
]
