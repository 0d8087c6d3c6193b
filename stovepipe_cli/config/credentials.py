"""Where a password comes from; each source is asked anew at every call, so that a rotated password is picked up."""

import shlex
import stat
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stovepipe_cli.dsn import Secret, read_option_file
from stovepipe_cli.errors import ConfigError

Credentials = Callable[[], Secret | None]

_COMMAND_LIMIT_S = 10


@dataclass(frozen=True, slots=True)
class PasswordSource:
    """A way to a password: `description` says which, without the password; `read` raises ConfigError when it fails.

    `may_ask`: to read it can start a conversation with whoever sits there, as a password manager's program does.
    """

    description: str
    origin: str
    read: Credentials
    warnings: tuple[str, ...] = ()
    may_ask: bool = False


def given_password(secret: Secret, origin: str) -> PasswordSource:
    """A password that was written into a URL."""
    return PasswordSource("in the database URL", origin, lambda: secret)


def no_password() -> PasswordSource:
    """No password at all."""
    return PasswordSource("none", "default", lambda: None)


def password_from_environment(environ: Mapping[str, str], name: str, origin: str) -> PasswordSource:
    """The variable `name`, which must be set by the time it is read."""

    def read() -> Secret:
        text = environ.get(name)
        if not text:
            raise ConfigError(
                f"the environment variable '{name}', which should hold the password, is not set",
                hint=f"set {name}, or correct password_env",
            )
        return Secret(text)

    return PasswordSource(f"environment variable {name}", origin, read)


def password_from_file(path: Path, origin: str) -> PasswordSource:
    """The content of `path` without its last line break."""

    def read() -> Secret:
        try:
            return _one_password(path.read_bytes(), f"the password file '{path}'")
        except OSError as error:
            raise ConfigError(
                f"the password file '{path}' cannot be read: {error.strerror}", hint="correct password_file"
            ) from None

    return PasswordSource(f"file {path}", origin, read, _public_file_warning(path))


def password_from_option_file(path: Path, origin: str) -> PasswordSource:
    """The password that a MySQL option file holds."""
    return PasswordSource(f"option file {path}", origin, lambda: read_option_file(path).password)


def password_from_command(command: str, environ: Mapping[str, str], origin: str) -> PasswordSource:
    """What `command` prints, without its last line break; run without a shell, for ten seconds at most.

    Raises ConfigError for a command without a program. Errors name the program alone: arguments may be secret.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        raise ConfigError(f"{origin}: password_command has an open quote", hint="close the quote") from None
    if not words:
        raise ConfigError(f"{origin}: password_command is empty", hint="name a program")

    def read() -> Secret:
        return _one_password(_run(words, environ), f"the password command '{words[0]}'")

    return PasswordSource(f"command {words[0]}", origin, read, may_ask=True)


def _run(words: list[str], environ: Mapping[str, str]) -> bytes:
    problem = f"the password command '{words[0]}'"
    try:
        done = subprocess.run(  # noqa: S603  # the user's own command, split without a shell
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_COMMAND_LIMIT_S,
            env=dict(environ),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ConfigError(f"{problem} took more than {_COMMAND_LIMIT_S} seconds", hint="run it by hand") from None
    except (OSError, ValueError):
        raise ConfigError(f"{problem} cannot be started", hint="correct password_command, or PATH") from None
    if done.returncode:
        raise ConfigError(f"{problem} ended with status {done.returncode}", hint="run it by hand")
    return done.stdout


def _one_password(raw: bytes, source: str) -> Secret:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise ConfigError(f"{source} gave a password that is not UTF-8", hint="encode it as UTF-8") from None
    text = text.removesuffix("\n").removesuffix("\r")
    if not text:
        raise ConfigError(f"{source} gave no password", hint="an account without a password needs no password source")
    return Secret(text)


def _public_file_warning(path: Path) -> tuple[str, ...]:
    try:
        is_public = bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return ()
    return (f"every user of this machine can read the password file '{path}'",) if is_public else ()
