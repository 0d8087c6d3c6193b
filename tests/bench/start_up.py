"""B1: help, beside the smallest Typer app's help."""

import sys

from tests.bench.databases import Site
from tests.bench.measurement import Measurement, Outcome
from tests.bench.processes import environment, median_times

AT_MOST = 1.15
RUNS = 15

SMALLEST = '''
import typer

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def main() -> None:
    """Say nothing."""


if __name__ == "__main__":
    app()
'''


def measure(site: Site) -> list[Outcome]:
    """The median of runs in turn."""
    directory = site.room()
    (directory / "smallest_typer.py").write_text(SMALLEST, "utf-8")
    ours, smallest = median_times(
        [
            [sys.executable, "-m", "stovepipe_cli", "--help"],
            [sys.executable, "-m", "smallest_typer", "--help"],
        ],
        environment(directory, directory),
        runs=RUNS,
    )
    return [Measurement("B1", "--help over the smallest Typer app", "ms", ours, smallest, AT_MOST)]
