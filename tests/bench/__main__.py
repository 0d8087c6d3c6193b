"""`python -m tests.bench [--rows B3,B6] [--full] [--json FILE]`: a table, and 1 where a row falls short."""

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.bench import audits, backfills, generating, history_read, issues, peak, start_up, workers
from tests.bench.databases import Site
from tests.bench.measurement import Outcome, table

ROWS: Mapping[str, Callable[[Site], list[Outcome]]] = {
    "B1": start_up.measure,
    "B2": history_read.measure,
    "B3": audits.against_the_driver,
    "B4": audits.against_one_by_one,
    "B5": workers.measure,
    "B6": peak.measure,
    "B7": audits.as_queues_grow,
    "B8": backfills.measure,
    "B9": generating.measure,
    "B10": issues.measure,
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure beside the smallest program.")
    parser.add_argument("--rows", default=",".join(ROWS), help="which rows, separated by commas (all)")
    parser.add_argument("--full", action="store_true", help="B5, B6 and B7 with a million requests")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    rows = options.rows.split(",")
    unknown = [row for row in rows if row not in ROWS]
    if unknown:
        parser.error(f"no row '{unknown[0]}', choose from {', '.join(ROWS)}")
    outcomes: list[Outcome] = []
    with (
        tempfile.TemporaryDirectory(prefix="stovepipe-bench-") as directory,
        contextlib.closing(Site(Path(directory), is_full=options.full)) as site,
    ):
        for row in rows:
            print(f"measuring {row} ...", file=sys.stderr, flush=True)
            outcomes += ROWS[row](site)
    print(table(outcomes))
    if options.json is not None:
        options.json.write_text(json.dumps([each.as_json() for each in outcomes], indent=2) + "\n", "utf-8")
    return 0 if all(each.is_met for each in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
