"""Connection URIs against a real server: passwords of any characters, and what each sslmode asks for."""

import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest

from tests.fakes import RecordingObserver
from tests.integration.database.test_pool import ONE, Value, ask, opened
from tests.integration.pgbouncer import PgBouncer, find_program
from tests.integration.servers import open_folder
from vmk_mcp.configuration.dsn import dsn_of_parts, parse_dsn
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.failures import explain_connection
from vmk_mcp.database.pool import Database, PoolLimits, reading_session
from vmk_mcp.errors import StoreUnavailable

PASSWORD: Final = "p@ss:w/o?rd#%&+"
ENCODED: Final = "p%40ss%3Aw%2Fo%3Frd%23%25%26%2B"


@asynccontextmanager
async def closing(database: Database) -> AsyncIterator[Database]:
    await database.open()
    try:
        yield database
    finally:
        await database.close()


@pytest.fixture
async def port(cluster: EmbeddedServer) -> AsyncIterator[int]:
    """The server's port, which knows `odd` by a password of all that URIs are written with."""
    superuser = cluster.dsn(Role.SUPERUSER, "vmk_data")
    await ask(superuser, f"CREATE ROLE odd LOGIN PASSWORD '{PASSWORD}' IN ROLE vmk_reader")
    yield cluster.address.port
    await ask(superuser, "DROP ROLE odd")


@pytest.mark.parametrize("form", ["encoded", "raw", "parts"])
async def test_a_password_of_any_characters_lets_in_however_it_is_given(port: int, form: str) -> None:
    parts = dsn_of_parts("127.0.0.1", port=str(port), database="vmk_data", user="odd", password=PASSWORD)
    written = {"encoded": ENCODED, "raw": PASSWORD}.get(form)
    dsn = parts if written is None else parse_dsn(f"postgresql://odd:{written}@127.0.0.1:{port}/vmk_data")
    assert PASSWORD not in f"{dsn} {dsn!r}"
    assert ENCODED not in f"{dsn} {dsn!r}"
    async with opened(dsn.reveal()) as database:
        assert await database.fetch_one(ONE) == Value("one")


class Encrypted:
    """A way to the server that is encrypted, with a certificate for `localhost` of an authority of its own.

    It is pgbouncer's, for the embedded build of Postgres knows no TLS.
    """

    def __init__(self, pgbouncer: PgBouncer, server: EmbeddedServer, certificates: Path) -> None:
        self._certificates = certificates
        self._login = f"vmk_reader:{server.address.password(Role.READER)}"
        self._port = pgbouncer.port

    def database(self, host: str, mode: str, root: str) -> Database:
        """Give the database as a DSN of these names it; `root` is whose certificate is trusted."""
        trusted = f"&sslrootcert={self._certificates}/{root}.crt" if root else ""
        place = f"{self._login}@{host}:{self._port}/vmk_data"
        dsn = parse_dsn(f"postgresql://{place}?sslmode={mode}{trusted}").reveal()
        limits = PoolLimits(size=1)
        session = reading_session(limits)
        return Database(
            "listings",
            dsn,
            limits=limits,
            session=session,
            warm_up=(),
            observer=RecordingObserver(),
            pooled=True,
        )


def make_certificate(folder: Path, name: str, *, signed_by: str = "") -> None:
    """Make a certificate for `localhost`, by itself an authority or signed by one."""
    signing = ["-CA", f"{folder}/{signed_by}.crt", "-CAkey", f"{folder}/{signed_by}.key"] if signed_by else []
    subprocess.run(
        [
            *(
                find_program("openssl"),
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
            ),
            *("-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.crt", *signing),
        ],
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def encrypted(cluster: EmbeddedServer) -> Iterator[Encrypted]:
    with open_folder() as folder:
        for name in ("authority", "stranger"):
            make_certificate(folder, name)
        make_certificate(folder, "server", signed_by="authority")
        more = f"""
            client_tls_sslmode = allow
            client_tls_cert_file = {folder}/server.crt
            client_tls_key_file = {folder}/server.key
        """
        pgbouncer = PgBouncer(folder, cluster.address, size=2, more=dedent(more))
        for path in folder.glob("server.*"):
            pgbouncer.account.own(path)
        with pgbouncer:
            yield Encrypted(pgbouncer, cluster, folder)


@pytest.mark.parametrize(
    ("host", "mode", "root"),
    [
        ("localhost", "disable", ""),
        ("localhost", "prefer", ""),
        # As libpq means it: encrypted, by whomever.
        ("localhost", "require", ""),
        ("localhost", "verify-ca", "authority"),
        ("127.0.0.1", "verify-ca", "authority"),
        ("localhost", "verify-full", "authority"),
    ],
)
async def test_a_mode_that_the_server_satisfies_lets_in(
    encrypted: Encrypted, host: str, mode: str, root: str
) -> None:
    async with closing(encrypted.database(host, mode, root)) as database:
        assert await database.fetch_one(ONE) == Value("one")


@pytest.mark.parametrize(
    ("host", "mode", "root"),
    [
        ("localhost", "verify-ca", "stranger"),
        ("localhost", "verify-full", "stranger"),
        # The certificate is for a name, and this is an address.
        ("127.0.0.1", "verify-full", "authority"),
    ],
)
async def test_a_certificate_that_the_mode_does_not_trust_is_refused_with_the_reason(
    encrypted: Encrypted, host: str, mode: str, root: str
) -> None:
    async with closing(encrypted.database(host, mode, root)) as database:
        with pytest.raises(StoreUnavailable) as refused:
            await database.fetch_one(ONE)
    assert "certificate" in explain_connection(refused.value.__cause__)[0]


async def test_who_verifies_without_an_authority_is_told_which_file_lacks(
    encrypted: Encrypted, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    async with closing(encrypted.database("localhost", "verify-full", "")) as database:
        with pytest.raises(StoreUnavailable) as refused:
            await database.fetch_one(ONE)
    assert "sslrootcert" in explain_connection(refused.value.__cause__)[1]


@pytest.mark.parametrize("mode", ["require", "verify-full"])
async def test_a_server_without_encryption_is_refused_by_who_requires_it(
    cluster: EmbeddedServer, mode: str
) -> None:
    dsn = parse_dsn(f"{cluster.dsn(Role.READER, 'vmk_data')}?sslmode={mode}")
    async with opened(dsn.reveal()) as database:
        with pytest.raises(StoreUnavailable) as refused:
            await database.fetch_one(ONE)
    assert "sslmode" in " ".join(explain_connection(refused.value.__cause__))
