"""The writing connection: all or nothing, vectors in and out, every failure named."""

import asyncpg
import numpy as np
import pytest

from tests.fakes import embed_words
from tests.integration.servers import Dsn
from tests.listing_rows import KINDS, ROWS
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.records import EmbeddingModel, read_embedding_model, record_embedding_model
from vmk_mcp.database.writer import Writer
from vmk_mcp.errors import StoreUnavailable, VmkError
from vmk_mcp.listings.writing import with_words, write_listings


async def count(dsn: str) -> int:
    connection = await asyncpg.connect(dsn)
    try:
        return int(await connection.fetchval("SELECT count(*) FROM property_listings"))
    finally:
        await connection.close()


LISTINGS = [with_words(row.record, row.embedding, configuration="simple") for row in ROWS]


async def test_listings_written_twice_are_there_once(listings_dsn: Dsn) -> None:
    async with Writer(listings_dsn(Role.OWNER)) as writer:
        await write_listings(writer, LISTINGS, KINDS)
        await write_listings(writer, LISTINGS, KINDS)
    assert await count(listings_dsn(Role.READER)) == len(ROWS)


async def test_a_row_that_is_refused_takes_back_all_that_was_written(listings_dsn: Dsn) -> None:
    with pytest.raises(VmkError):
        async with Writer(listings_dsn(Role.OWNER)) as writer:
            await write_listings(writer, LISTINGS, [])  # the kinds that the listings name are not there
    assert await count(listings_dsn(Role.READER)) == 0


async def test_the_model_on_record_is_the_last_one(listings_dsn: Dsn) -> None:
    async with Writer(listings_dsn(Role.OWNER)) as writer:
        assert await read_embedding_model(writer) is None
        await record_embedding_model(writer, EmbeddingModel("first", 384))
        await record_embedding_model(writer, EmbeddingModel("second", 768))
        assert await read_embedding_model(writer) == EmbeddingModel("second", 768)


async def test_a_failure_outside_of_a_transaction_is_named_too(listings_dsn: Dsn) -> None:
    async with Writer(listings_dsn(Role.OWNER)) as writer:
        with pytest.raises(VmkError):
            await record_embedding_model(writer, EmbeddingModel("impossible", 0))
        await record_embedding_model(writer, EmbeddingModel("possible", 1))


async def test_the_reader_cannot_write_through_a_writer_either(listings_dsn: Dsn) -> None:
    async with Writer(listings_dsn(Role.READER)) as writer:
        with pytest.raises(VmkError):
            await write_listings(writer, LISTINGS, KINDS)
    assert await count(listings_dsn(Role.READER)) == 0


async def test_a_server_that_is_not_there_is_named(cluster: EmbeddedServer) -> None:
    with pytest.raises(StoreUnavailable):
        async with Writer("postgresql://somebody:secret@127.0.0.1:1/nothing"):
            pass
    with pytest.raises(StoreUnavailable):
        async with Writer(cluster.dsn(Role.OWNER, "no_such_database")):
            pass


async def test_a_connection_that_breaks_is_named_and_closed_quietly(listings_dsn: Dsn) -> None:
    connection = await asyncpg.connect(listings_dsn(Role.SUPERUSER))
    try:
        async with Writer(listings_dsn(Role.OWNER)) as writer:
            await connection.fetchval(
                "SELECT count(pg_terminate_backend(pid, 2000)) FROM pg_stat_activity WHERE usename = $1",
                Role.OWNER,
            )
            with pytest.raises(StoreUnavailable):
                await writer.analyze()
    finally:
        await connection.close()


async def test_vectors_are_read_back_as_written(listings_dsn: Dsn) -> None:
    async with Writer(listings_dsn(Role.OWNER)) as writer:
        await write_listings(writer, LISTINGS, KINDS)
        stored = await writer._open.fetchval("SELECT embedding FROM property_listings WHERE id = 1")
    assert np.array_equal(stored, embed_words("document", ROWS[0].record.title, "fake-model", 768))
