"""Runs a program as a process of its own, for its time or its peak memory."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

# The peak of a process counts what its starter held, so a small starter stands between it and the bench.
_STARTER = """
import json, os, sys, time
started = time.monotonic()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print()
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_maxrss, time.monotonic() - started]))
"""
# Linux counts in kilobytes, macOS in bytes.
_MAXRSS_PER_MB = 1024 * 1024 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Peak:
    exit_code: int
    megabytes: float
    seconds: float
    stdout: str


def environment(home: Path, *paths: Path) -> dict[str, str]:
    """Nothing of the caller's configuration, and a home without files."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": str(home), "PYTHONPATH": os.pathsep.join(map(str, (CHECKOUT, *paths)))}


def median_times(programs: Sequence[Sequence[str]], env: dict[str, str], *, runs: int) -> list[float]:
    """Milliseconds of each program, run in turn so that what slows the machine slows all of them alike."""
    times: list[list[float]] = [[] for _ in programs]
    # The first round fills the caches: bytecode, files, the server's pages.
    for run in range(runs + 1):
        for program, taken in zip(programs, times, strict=True):
            started = time.perf_counter()
            completed = subprocess.run(program, env=env, capture_output=True, text=True, check=False)
            elapsed = time.perf_counter() - started
            if completed.returncode != 0:
                raise RuntimeError(f"{' '.join(program)} ended with {completed.returncode}:\n{completed.stderr}")
            if run:
                taken.append(elapsed * 1000)
    return [statistics.median(taken) for taken in times]


def peak_memory(program: Sequence[str], env: dict[str, str]) -> Peak:
    """Run to the end, whatever the exit code."""
    completed = subprocess.run(
        [sys.executable, "-S", "-c", _STARTER, *program], env=env, capture_output=True, text=True, check=False
    )
    stdout, _, usage = completed.stdout.rstrip("\n").rpartition("\n")
    if completed.returncode != 0:
        raise RuntimeError(f"{' '.join(program)} did not start:\n{completed.stderr}")
    exit_code, maxrss, seconds = json.loads(usage)
    return Peak(exit_code, maxrss / _MAXRSS_PER_MB, seconds, stdout)
