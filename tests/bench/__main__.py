"""`python -m tests.bench [--rows B1,B2,B6] [--json FILE]`: a table, and 1 where a row falls short."""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.bench import history_read, peak, start_up
from tests.bench.measurement import Measurement, table

ROWS: Mapping[str, Callable[[Path], list[Measurement]]] = {
    "B1": start_up.measure,
    "B2": history_read.measure,
    "B6": peak.measure,
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure beside the smallest program.")
    parser.add_argument("--rows", default=",".join(ROWS), help="which rows, separated by commas (all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    rows = options.rows.split(",")
    unknown = [row for row in rows if row not in ROWS]
    if unknown:
        parser.error(f"no row '{unknown[0]}', choose from {', '.join(ROWS)}")
    measurements: list[Measurement] = []
    for row in rows:
        print(f"measuring {row} ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="stovepipe-bench-") as directory:
            measurements += ROWS[row](Path(directory))
    print(table(measurements))
    if options.json is not None:
        options.json.write_text(json.dumps([each.as_json() for each in measurements], indent=2) + "\n", "utf-8")
    return 0 if all(each.is_met for each in measurements) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
