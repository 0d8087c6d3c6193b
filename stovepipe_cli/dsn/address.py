"""Host and port as database URLs write them, shared by both spellings."""

import ipaddress
import re

from stovepipe_cli.errors import InvalidInput

_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.\-]{0,252}[A-Za-z0-9_.])?")
_HIGHEST_PORT = 65_535


def parse_address(text: str) -> tuple[str | None, int | None]:
    """Host and port of `host`, `host:port`, `[ipv6]:port`, `:port` or a bare IPv6 address; absent parts are None.

    The text may be part of a mistyped password, so InvalidInput never repeats it.
    """
    if is_ip_address(text, version=6):
        return text, None
    if text.startswith("["):
        literal, closed, rest = text[1:].partition("]")
        if not closed or not is_ip_address(literal, version=6):
            raise InvalidInput("the host in brackets is not an IPv6 address", hint="write it like [::1]:3306")
        host: str | None = literal
    else:
        name, colon, port = text.partition(":")
        host, rest = name or None, colon + port
        if host is not None and not _HOST.fullmatch(host):
            raise InvalidInput(
                "the host in the database URL is not a host name or an address",
                hint="in a URL, percent-encode / ? @ : and % within the user and the password",
            )
    if not rest:
        return host, None
    if not rest.startswith(":"):
        raise InvalidInput("something other than ':port' follows the IPv6 address", hint="write it like [::1]:3306")
    return host, parse_port(rest[1:])


def parse_port(text: str) -> int:
    """A port from 1 to 65535. Raises InvalidInput, which does not repeat the text."""
    # Nine digits keep int() far from its own length limit.
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= _HIGHEST_PORT:
        raise InvalidInput(
            "the port is not a number from 1 to 65535",
            hint="write host:3306; if the password was taken for a host, percent-encode / ? @ : and % in it",
        )
    return int(text)


def is_ip_address(text: str, *, version: int) -> bool:
    """Whether `text` is an IP address of that version, written without brackets."""
    try:
        return ipaddress.ip_address(text).version == version
    except ValueError:
        return False
