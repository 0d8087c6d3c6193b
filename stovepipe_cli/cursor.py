"""Opaque page cursors: versioned, checksummed and bound to a queue, a listing and its order."""

import base64
import binascii
import hashlib
import json

from stovepipe_cli.errors import InvalidCursor
from stovepipe_cli.keys import key_bytes, key_text

CURSOR_VERSION = 1
_MAX_LENGTH = 8192

CursorKey = tuple[str | int, ...]


def encode_cursor(*, queue: str, listing: str, order: str, key: CursorKey) -> str:
    """A token for the page after `key`. Integers stay integers, text stays bytes."""
    parts = [part if isinstance(part, int) else _pack(part) for part in key]
    body = json.dumps([CURSOR_VERSION, _scope(queue, listing, order), parts], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_checksum(body) + body).rstrip(b"=").decode("ascii")


def decode_cursor(token: str, *, queue: str, listing: str, order: str, shape: tuple[type, ...]) -> CursorKey:
    """The key inside a token of exactly this queue, listing and order; `shape` gives the types of its parts.

    `InvalidCursor` for any other token. The message never repeats what is inside.
    """
    body = _open(token)
    match body:
        case [int(version), str(scope), list(parts)]:
            if version != CURSOR_VERSION:
                raise _invalid("was made by another version of this tool")
            if scope != _scope(queue, listing, order):
                raise _invalid("belongs to another queue, listing or order")
            return _key(parts, shape)
        case _:
            raise _invalid("is damaged")


def _key(parts: list[object], shape: tuple[type, ...]) -> CursorKey:
    if len(parts) != len(shape):
        raise _invalid("is damaged")
    key: list[str | int] = []
    for part, kind in zip(parts, shape, strict=True):
        if kind is int and isinstance(part, int) and not isinstance(part, bool):
            key.append(part)
        elif kind is str and isinstance(part, str):
            key.append(_unpack(part))
        else:
            raise _invalid("is damaged")
    return tuple(key)


def _open(token: str) -> object:
    if not token or len(token) > _MAX_LENGTH or not token.isascii():
        raise _invalid("is damaged")
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        body = raw[4:]
        if _checksum(body) != raw[:4] or not body:
            raise _invalid("is damaged")
        return json.loads(body)
    except (binascii.Error, ValueError, RecursionError) as error:
        raise _invalid("is damaged") from error


def _scope(queue: str, listing: str, order: str) -> str:
    digest = hashlib.sha256()
    for part in (queue, listing, order):
        raw = key_bytes(part)
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.hexdigest()[:16]


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(b"stovepipe-cursor" + body).digest()[:4]


def _pack(text: str) -> str:
    return base64.b64encode(key_bytes(text)).decode("ascii")


def _unpack(text: str) -> str:
    try:
        return key_text(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError) as error:
        raise _invalid("is damaged") from error


def _invalid(why: str) -> InvalidCursor:
    return InvalidCursor(f"the cursor {why}", hint="list again without --cursor and page on from there")
