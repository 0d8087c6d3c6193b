"""A server that speaks TLS: which modes reach it, which certificates are believed, and what is said of the others."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import pytest

from tests.cli.running import Program, Result
from tests.support.mariadb import HOST, MariaDBServer

OPENSSL = which("openssl") or ""
pytestmark = pytest.mark.skipif(not OPENSSL, reason="openssl, which makes the certificates, is not there")

PASSWORD = "sentinel-of-a-password"


def openssl(directory: Path, *arguments: str) -> None:
    subprocess.run([OPENSSL, *arguments], cwd=directory, check=True, capture_output=True)


def make_certificates(directory: Path) -> None:
    """A CA, a certificate of it for the server's address, and the certificate of another CA."""
    for name in ("ca", "other"):
        own = ("-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN=stovepipe test {name}", "-days", "2")
        openssl(directory, "req", "-x509", "-newkey", "rsa:2048", "-nodes", *own)
    for name, address in (("server", HOST), ("client", "192.0.2.1")):
        (directory / f"{name}.ext").write_text(f"subjectAltName=IP:{address}\n")
        request = ("-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN=stovepipe test {name}")
        openssl(directory, "req", "-newkey", "rsa:2048", "-nodes", *request)
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", f"{name}.ext")
        openssl(directory, "x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.pem", *signed)


@dataclass(frozen=True, slots=True)
class Encrypted:
    """A server with a certificate for its address, and the directory of the files."""

    server: MariaDBServer
    files: Path


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory, mariadb_template: Path) -> Iterator[Encrypted]:
    files = tmp_path_factory.mktemp("tls")
    make_certificates(files)
    options = [f"--ssl-ca={files}/ca.pem", f"--ssl-cert={files}/server.pem", f"--ssl-key={files}/server.key"]
    with MariaDBServer.start(files / "server", template=mariadb_template, options=options) as server:
        server.create_database("own")
        for user, demand in (("secure", "REQUIRE SSL"), ("known", "REQUIRE X509")):
            server.execute(f"CREATE USER {user} IDENTIFIED BY '{PASSWORD}' {demand}")
            server.execute(f"GRANT SELECT ON own.* TO {user}")
        yield Encrypted(server, files)


@pytest.fixture
def ping(program: Program, encrypted: Encrypted) -> "Ping":
    return Ping(program, encrypted)


@dataclass(frozen=True, slots=True)
class Ping:
    program: Program
    encrypted: Encrypted

    def __call__(self, *tls: str, user: str = "secure", host: str = HOST) -> Result:
        """`db ping` with a profile that has these lines below `tls`."""
        file = self.program.home / ".config/stovepipe/config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        section = ["    tls:", *(f"      {line}" for line in tls)] if tls else []
        lines = [
            "default_profile: p",
            "profiles:",
            "  p:",
            f"    database_url: mysql+pymysql://{user}@{host}:{self.encrypted.server.port}/own",
            "    password_env: OWN_PASSWORD",
            *section,
        ]
        file.write_text("\n".join(lines) + "\n")
        file.chmod(0o600)
        return self.program("db", "ping", environ={"OWN_PASSWORD": PASSWORD})


def test_a_certificate_of_the_right_ca_and_address_is_believed(ping: Ping) -> None:
    assert ping(f"ca: {ping.encrypted.files}/ca.pem", "verify: true").code == 0


def test_a_certificate_of_another_ca_is_refused_without_the_password(ping: Ping) -> None:
    result = ping(f"ca: {ping.encrypted.files}/other.pem", "verify: true")
    assert (result.code, result.stdout) == (6, "")
    assert result.stderr.startswith("stovepipe: no encrypted connection to ")
    assert PASSWORD not in result.stderr


def test_a_certificate_for_another_name_is_refused_where_the_name_counts(ping: Ping) -> None:
    ca = f"ca: {ping.encrypted.files}/ca.pem"
    assert ping(ca, "verify: true", host="localhost").code == 6
    assert ping(ca, "verify: ca", host="localhost").code == 0


def test_encryption_without_a_look_at_the_certificate_is_possible(ping: Ping) -> None:
    assert ping("verify: false").code == 0


def test_an_account_that_wants_a_certificate_gets_one(ping: Ping) -> None:
    files = ping.encrypted.files
    own = (f"cert: {files}/client.pem", f"key: {files}/client.key")
    assert ping(f"ca: {files}/ca.pem", user="known").code == 6
    assert ping(f"ca: {files}/ca.pem", *own, user="known").code == 0


def test_a_file_that_is_no_certificate_is_told(ping: Ping) -> None:
    result = ping(f"ca: {ping.encrypted.files}/ca.key")
    assert result.code == 2
    assert "TLS files" in result.stderr
