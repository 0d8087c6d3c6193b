"""Keyed pseudonyms: one text has one pseudonym under one key, and without the key nobody finds the way back."""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from types import MappingProxyType

from stovepipe_cli.entities.build import BUILD_STATUSES
from stovepipe_cli.entities.request import BUILD_STRATEGIES, OBSOLETE_STATES, REQUEST_STATES
from stovepipe_cli.entities.request_log import EVENTS, KNOWN_REASONS, OBSOLETE_EVENTS
from stovepipe_cli.history.metadata_keys import (
    BASE_URI,
    BROKEN_PROJECT_FACT_COUNT,
    BUILD_ID,
    FACT_DEGREE,
    PROJECT_FACT_COUNT,
    REPAIR_RUN_ID,
    SUPERSEDED_BY,
)
from stovepipe_cli.request_id import parse_request_id

HEX_DIGITS = 16

# Words of the service, and of what it writes into metadata: they name nobody.
VOCABULARY = (
    frozenset((*REQUEST_STATES, *BUILD_STRATEGIES, *BUILD_STATUSES, *EVENTS))
    | OBSOLETE_STATES
    | OBSOLETE_EVENTS
    | KNOWN_REASONS
    | {"enabled", "disabled", "opened", "resolved"}
    | {"reconciled", "suppressed_cancelled", "suppressed_task_wide_issue", "no_eligible_issue", "acceptance_unknown"}
)
_SCHEMES = frozenset({"file", "git", "http", "https", "ssh"})
_COMMIT_DIGITS = 40

_DAY_MS = 86_400_000
_SHORTEST_SHIFT_MS, _SHIFT_SPAN_MS = 30 * _DAY_MS, 1_800 * _DAY_MS
# Times of a running service lie above; below stand counters and made-up times, which tests are full of.
_FIRST_SHIFTED_MS = 1_000_000_000_000
_LAST_KEPT_MS = _FIRST_SHIFTED_MS // 2

# Made-up text that is taken for what it stands for, so that a finding about a secret outlives the secret.
SPECIMENS: Mapping[str, str] = MappingProxyType(
    {
        "a private key": "-----BEGIN MADE UP PRIVATE KEY-----",
        "a password in a URL": "git://user:made-up@host",
        "an access token": "xoxb-made-up-token",
        "a signed web token": "eyJtYWRlLXVw.eyJtYWRlLXVw.bWFkZS11cA",
        "a stack trace": "Traceback (most recent call last):",
    }
)
_PASSWORD = "a password in a URL"  # noqa: S105 - the name of a kind

_KNOWN_KEYS = frozenset(
    {
        BASE_URI,
        BUILD_ID,
        FACT_DEGREE,
        PROJECT_FACT_COUNT,
        BROKEN_PROJECT_FACT_COUNT,
        SUPERSEDED_BY,
        REPAIR_RUN_ID,
        "actor",
        "message",
        "project",
        "reason",
        "task_id",
        "unit_id",
        "uri",
    }
)


class Pseudonyms:
    """What stands for what, for one queue. Empty text stays empty, and words of the service stay.

    `kinds_of_secret` tells what a text seems to hold that nobody should see, as verify has it.
    """

    def __init__(self, key: bytes, queue: str, kinds_of_secret: Callable[[str], tuple[str, ...]]) -> None:
        self._key = key
        self._kinds_of_secret = kinds_of_secret
        self._queue = queue
        self.queue = self.name("queue", queue)
        self._shift_ms = _SHORTEST_SHIFT_MS + int(self.digest("shift", queue), 16) % _SHIFT_SPAN_MS

    def digest(self, kind: str, text: str) -> str:
        """64 hex digits for a text of this kind."""
        # Every text has bytes of its own this way, also one with half a surrogate pair.
        message = f"{kind}\0{text}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()

    def name(self, kind: str, text: str) -> str:
        """`KIND-` and hex digits, never shorter than the text: how long a name is can be what is wrong with it."""
        if not text:
            return ""
        digest = self.digest(kind, text)
        return f"{kind}-{digest[:HEX_DIGITS]}".ljust(len(text), digest[-1])

    def word(self, text: str) -> str:
        """A word of the service as it is, any other as a word that nobody knows."""
        return text if text in VOCABULARY else f"word-{self.digest('word', text)[:HEX_DIGITS]}"

    def request(self, request_id: str) -> str:
        """An id of the same form and number: what came before what, and what is left out between, stays."""
        parsed = parse_request_id(self._queue, request_id)
        if parsed is None:
            return self.name("id", request_id)
        if parsed.form == "decimal":
            return request_id
        return f"request/{self.queue}/{request_id.removeprefix(f'request/{self._queue}/')}"

    def uri(self, uri: str) -> str:
        """A URI of the same shape: those with one beginning keep one, and the last part is a commit of 40 digits."""
        start, slash, _ = uri.rpartition("/")
        if not slash:
            return self.name("uri", uri)
        scheme = start.partition("://")[0]
        known = scheme if scheme in _SCHEMES else "uri"
        login = "user:made-up@" if _PASSWORD in self._kinds_of_secret(uri) else ""
        return f"{known}://{login}{self.name('repository', start)[:100]}/{self.digest('uri', uri)[:_COMMIT_DIGITS]}"

    def build(self, build_id: str) -> str:
        """A build's id."""
        return self.name("build", build_id)

    def message(self, text: str) -> str:
        """Free text; one that seems to hold a secret gets one that seems to hold a secret of the same kind."""
        if text in VOCABULARY:
            return text
        secrets = [SPECIMENS[kind] for kind in self._kinds_of_secret(text) if kind in SPECIMENS]
        return " ".join([*secrets, self.name("text", text)])

    def metadata_key(self, key: str) -> str:
        """A key that this tool knows as it is: in any other a name may stand."""
        return key if key in _KNOWN_KEYS else self.name("key", key)

    def moment(self, at_ms: int) -> int:
        """A time, moved back by the same span as every other; zero and below, which are no times, stay."""
        if at_ms >= _FIRST_SHIFTED_MS:
            return at_ms - self._shift_ms
        if at_ms <= _LAST_KEPT_MS:
            return at_ms
        # Between the two the axis is squeezed, so that earlier stays earlier.
        room = _FIRST_SHIFTED_MS - self._shift_ms - _LAST_KEPT_MS
        return _LAST_KEPT_MS + (at_ms - _LAST_KEPT_MS) * room // (_FIRST_SHIFTED_MS - _LAST_KEPT_MS)
