"""What `vmk-mcp doctor` says of real databases: ours, and the listings' indexes."""

import asyncio
from pathlib import Path

import asyncpg
import pytest

from tests.fakes import FakeEmbedder
from tests.integration.servers import Dsn, quiet
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.examining_beside import examine_documents, examine_state
from vmk_mcp.bootstrap.examining_listings import examine_listings
from vmk_mcp.bootstrap.findings import Finding
from vmk_mcp.database.credentials import Role
from vmk_mcp.settings import read_settings


def look_at_state(dsn: str, folder: Path) -> Finding:
    settings = read_settings({"DATA_DIR": str(folder), "STATE_DATABASE_URL": dsn})
    return examine_state(settings, LazySources(settings, quiet))


def test_a_state_database_with_our_tables_is_fine(state_dsn: Dsn, tmp_path: Path) -> None:
    found = look_at_state(state_dsn(Role.WRITER), tmp_path)
    assert found == Finding("state database", "ok", "It can be read; no documents are indexed yet.")


@pytest.mark.parametrize(
    ("database", "message"),
    [
        ("postgres", "It lacks tables of ours, or the right to use them."),
        ("no_such_database", "Postgres at {place}: Postgres has no database of that name."),
    ],
)
def test_a_state_database_without_them_or_without_itself_is_a_failure(
    state_dsn: Dsn, tmp_path: Path, database: str, message: str
) -> None:
    address = state_dsn(Role.WRITER).rpartition("/")[0]
    found = look_at_state(f"{address}/{database}", tmp_path)
    place = address.rpartition("@")[2]
    assert (found.verdict, found.message) == ("failed", message.format(place=place))
    assert found.advice


async def test_an_index_whose_making_broke_off_is_named_and_counts_as_missing(
    listings_dsn: Dsn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vmk_mcp.bootstrap.examining_listings.make_embedder", lambda *_: FakeEmbedder())
    settings = read_settings({"DATA_DIR": str(tmp_path), "DATABASE_URL": listings_dsn(Role.READER)})
    owner = await asyncpg.connect(listings_dsn(Role.SUPERUSER))
    try:
        name = await owner.fetchval(
            "SELECT indexname FROM pg_indexes WHERE tablename = 'property_listings'"
            " AND indexdef LIKE '%hnsw%'"
        )
        await owner.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = $1::text::regclass", name
        )
    finally:
        await owner.close()
    found = await asyncio.to_thread(examine_listings, settings, LazySources(settings, quiet))
    said = [finding.message for finding in found if finding.subject == "indexes"]
    assert said[0] == f"The making of the index {name} broke off: it is never used."
    assert said[1].startswith("property_listings lacks an index, an HNSW one on embedding")
    assert len(said) == 2


def test_an_embedder_of_documents_that_is_away_fails_with_the_setting_of_its_address(tmp_path: Path) -> None:
    environ = {"VECTOR_EMBEDDING_PROVIDER": "ollama", "OLLAMA_BASE_URL": "http://127.0.0.1:9"}
    found = asyncio.run(examine_documents(read_settings({"DATA_DIR": str(tmp_path), **environ})))
    assert (found.subject, found.verdict) == ("documents", "failed")
    assert "OLLAMA_BASE_URL" in found.advice
