"""Runs the command lines of stdin in one process whose driver, loggers and interpreter talk; prints what each wrote."""

import json
import logging
import os
import sys
import tempfile
import warnings
from pathlib import Path

from stovepipe_cli.cli import run
from stovepipe_cli.commands.process import process_surroundings


def make_noise(event: str, _arguments: tuple[object, ...]) -> None:
    if event == "sqlite3.connect":
        warnings.warn("driver of yesterday", DeprecationWarning, stacklevel=2)
        warnings.warn("driver in trouble", RuntimeWarning, stacklevel=2)
        for level in (logging.DEBUG, logging.WARNING):
            logging.getLogger("driver").log(level, "noise of a library")


def heard(argv: list[str], directory: str) -> dict[str, object]:
    """Run one line with descriptors 1 and 2 in files, whoever writes to them."""
    files = [Path(directory, name) for name in ("stdout", "stderr")]
    kept = [os.dup(1), os.dup(2)]
    for number, file in enumerate(files, start=1):
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(descriptor, number)
        os.close(descriptor)
    try:
        code = run(argv, process_surroundings())
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        for number, descriptor in enumerate(kept, start=1):
            os.dup2(descriptor, number)
            os.close(descriptor)
    stdout, stderr = (file.read_text() for file in files)
    return {"code": code, "stdout": stdout, "stderr": stderr}


if __name__ == "__main__":
    logging.basicConfig(level=logging.DEBUG)
    sys.addaudithook(make_noise)
    with tempfile.TemporaryDirectory() as place:
        results = [heard(argv, place) for argv in json.load(sys.stdin)]
    print(json.dumps(results))
