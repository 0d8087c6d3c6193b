"""A database together with the way to its password."""

from dataclasses import dataclass, replace

from stovepipe_cli.config.credentials import PasswordSource, given_password, no_password
from stovepipe_cli.dsn import DatabaseTarget, Secret, complete_target


@dataclass(frozen=True, slots=True)
class DatabaseAccess:
    """A complete target without its password, which only `credentials` gives."""

    target: DatabaseTarget
    password: PasswordSource

    def credentials(self) -> Secret | None:
        """The password as its source gives it now; None where there is none. Raises ConfigError, may take seconds."""
        return self.password.read()


def access_beside(target: DatabaseTarget, origin: str, primary: DatabaseAccess | None) -> DatabaseAccess:
    """Access to a further copy of the primary's database: user, database name, TLS and password default to its own."""
    if primary is not None and target.backend == primary.target.backend == "mysql":
        target = replace(
            target,
            user=target.user or primary.target.user,
            database=target.database or primary.target.database,
            tls=primary.target.tls if target.tls.mode == "unset" and not target.tls.names_files else target.tls,
        )
    return _access(target, origin, primary)


def access_apart(target: DatabaseTarget, origin: str, primary: DatabaseAccess | None) -> DatabaseAccess:
    """Access to a database of its own; the primary's password serves only on the primary's server and account."""
    complete = complete_target(target)
    if primary is None or _account(complete) != _account(primary.target):
        primary = None
    return _access(complete, origin, primary)


def _account(target: DatabaseTarget) -> tuple[str | int | None, ...]:
    return (target.backend, target.host, target.port, target.socket, target.user)


def _access(target: DatabaseTarget, origin: str, primary: DatabaseAccess | None) -> DatabaseAccess:
    complete = complete_target(target)
    if complete.backend != "mysql":
        return DatabaseAccess(complete, no_password())
    if complete.password is not None:
        return DatabaseAccess(replace(complete, password=None), given_password(complete.password, origin))
    return DatabaseAccess(complete, no_password() if primary is None else primary.password)
