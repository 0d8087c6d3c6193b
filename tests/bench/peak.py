"""B6: the peak memory of a verify, with damage of every kind to find."""

import json
import sys
from pathlib import Path

from tests.bench.databases import QUEUE, databases
from tests.bench.measurement import Measurement
from tests.bench.processes import environment, peak_memory

AT_MOST_MB = 150
# Damage of single requests, each of which gives one finding of an error and hides none.
CODES = (
    *("H101", "H102", "H103", "H104", "H105", "H106", "H107", "H108", "H109"),
    *("E201", "E202", "E206", "P301", "P302", "P304", "A401", "U501"),
)
REQUESTS = 100_000
DAMAGE_EACH = 10
FINDINGS = 3


def measure(directory: Path) -> list[Measurement]:
    """On both kinds of database; a verify that misses planted damage is no measurement."""
    env = environment(directory)
    found = []
    with databases(directory, REQUESTS, damage_each=DAMAGE_EACH, codes=CODES) as both:
        for database in both:
            where = ["--queue", QUEUE, "--database-url", database.url]
            peak = peak_memory(
                [sys.executable, "-m", "stovepipe_cli", "verify", *where, "--settle", "0", "--output", "json"], env
            )
            total = json.loads(peak.stdout)["data"]["findings_total"] if peak.exit_code == FINDINGS else None
            if total != database.planted:
                raise RuntimeError(
                    f"verify on {database.kind} ended with {peak.exit_code} and found {total}, "
                    f"not the {database.planted} that were planted:\n{peak.stdout[:2000]}"
                )
            found.append(
                Measurement(
                    "B6",
                    f"peak of a verify of {REQUESTS:,} requests, {database.kind}",
                    "MB",
                    peak.megabytes,
                    None,
                    AT_MOST_MB,
                    note=f"loaded at {database.requests_a_second:,.0f} requests/s, "
                    f"verified at {REQUESTS / peak.seconds:,.0f} requests/s",
                )
            )
    return found
