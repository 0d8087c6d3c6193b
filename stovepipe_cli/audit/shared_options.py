"""What a shared verify is made of, as JSON values that any of its processes reads back."""

import dataclasses
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stovepipe_cli.audit.baseline import KnownFinding
from stovepipe_cli.audit.options import VerifyOptions
from stovepipe_cli.errors import Refused

# Zero would turn the key off.
_SEEDS = (1, 2**32 - 1)

# How a report is told, and what each process is told by itself.
_NO_PART_OF_THE_JOB = frozenset({"known", "run_time_ms", "findings_file", "max_findings", "show_pending", "exit_zero"})


def options_document(options: VerifyOptions) -> dict[str, object]:
    """All options, JSON values alone."""
    found = {each.name: getattr(options, each.name) for each in dataclasses.fields(options)}
    lists = {name: list(value) for name, value in found.items() if isinstance(value, tuple)}
    file = options.findings_file
    known = [dataclasses.asdict(each) for each in options.known]
    return {**found, **lists, "known": known, "findings_file": None if file is None else str(file)}


def defining_options(options: VerifyOptions) -> dict[str, object]:
    """Those of them that say what is looked at and what for."""
    found = options_document(options)
    return {name: value for name, value in found.items() if name not in _NO_PART_OF_THE_JOB}


def options_of(document: Mapping[str, Any]) -> VerifyOptions:
    """The options of a document; `Refused` for one of another version."""
    fields = {each.name for each in dataclasses.fields(VerifyOptions)}
    if fields != set(document):
        raise foreign()
    found = dict(document)
    for name, value in document.items():
        if isinstance(value, list | tuple):
            found[name] = tuple(value)
    file = document["findings_file"]
    found["findings_file"] = None if file is None else Path(file)
    found["known"] = tuple(KnownFinding(**each) for each in document["known"])
    return VerifyOptions(**found)


def mint_hash_seed() -> int:
    """A key for the hashes of one run's processes."""
    low, high = _SEEDS
    return low + secrets.randbelow(high - low + 1)


def hash_kind() -> dict[str, object]:
    """All that decides, beside the key, what this interpreter hashes a value to."""
    about, version = sys.hash_info, sys.version_info
    return {
        "python": f"{sys.implementation.name} {version.major}.{version.minor}",
        "algorithm": about.algorithm,
        "bits": [about.width, about.hash_bits, about.seed_bits, about.cutoff],
        "byte_order": sys.byteorder,
    }


def require_same_hashes(kind: Mapping[str, object]) -> None:
    """`Refused` where the processes of the run hash otherwise than this one ever could."""
    own = hash_kind()
    for name in own:
        if kind.get(name) != own[name]:
            was, now = kind.get(name), own[name]
            raise Refused(
                f"the run's workers compare by hashes of {name.replace('_', ' ')} {was}, and this one has {now}",
                hint=f"work at it with {kind.get('python')} on a machine like the one that started it",
            )


def foreign() -> Refused:
    """The refusal of a run that another version started."""
    return Refused(
        "the run was started by another version, whose verify this one cannot share",
        hint="go on with the version that started it, or cancel the run and start anew",
    )
