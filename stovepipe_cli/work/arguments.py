"""What defines a run's job, kept with the run, so that nobody goes on with another job under its name."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from stovepipe_cli.entities.run import Run, RunKind
from stovepipe_cli.errors import Refused

BODY_KEY = "arguments"


@dataclass(frozen=True, slots=True)
class JobArguments:
    """`target` is the database's identity; `rules` and `plan` are digests, empty where there is none.

    `options` are those that say what is done, such as filters; how fast it is done is none of them.
    """

    kind: RunKind
    queue: str
    target: str
    rules: str = ""
    plan: str = ""
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def fields(self) -> dict[str, object]:
        """Every value by the name that a refusal gives it. JSON values alone."""
        own: dict[str, object] = {
            "kind": self.kind,
            "queue": self.queue,
            "target": self.target,
            "rules": self.rules,
            "plan": self.plan,
        }
        return own | {f"option {name}": value for name, value in self.options.items()}

    @property
    def digest(self) -> str:
        """Equal exactly where every field is."""
        return _digest(self.fields)

    def body(self) -> dict[str, object]:
        """As the start of a run keeps it."""
        return {"digest": self.digest, "fields": self.fields}


def arguments_of(started: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """Digest and fields that the start of a run left on record; empty where it left none."""
    kept = started.get(BODY_KEY)
    if not isinstance(kept, Mapping):
        return "", {}
    fields = kept.get("fields")
    return str(kept.get("digest", "")), fields if isinstance(fields, Mapping) else {}


def require_same(run: Run, started: Mapping[str, object], now: JobArguments) -> None:
    """`Refused` where the job on record is another one, naming the first field that differs and both values."""
    digest, kept = arguments_of(started)
    if digest == now.digest:
        return
    current = now.fields
    for name in dict.fromkeys((*current, *kept)):
        was, is_now = kept.get(name), current.get(name)
        if _digest(was) != _digest(is_now):
            raise Refused(
                f"run '{run.run_id}' was started with {name} {_text(was)}, and it is {_text(is_now)} now",
                hint=f"give it as it was, or 'stovepipe runs cancel {run.run_id}' and start anew",
            )
    raise Refused(
        f"run '{run.run_id}' keeps a digest of its arguments that does not fit them",
        hint=f"'stovepipe runs cancel {run.run_id}' and start anew",
    )


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _text(value: object) -> str:
    if value is None or value == "":
        return "absent"
    return f"'{value}'" if isinstance(value, str) else json.dumps(value, ensure_ascii=True)
