"""The pool that writes our own tables: what is written together is kept together, and failures have names."""

from collections.abc import AsyncIterator
from typing import Final

import pytest
from msgspec import Struct

from tests.integration.servers import Dsn
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.failures import ValuesRefused
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.query import parse_query
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.errors import NotOffered, StoreUnavailable


class Note(Struct, frozen=True):
    """A row of the table of these tests."""

    id: int
    text: str


MAKE: Final = "CREATE TABLE public.notes (id int4 PRIMARY KEY, text text NOT NULL)"
ADD: Final = parse_query(
    "state/add_note",
    """\
-- state/add_note: writes a note.
--
-- parameters
--   $1 id     int4
--   $2 text   text
-- columns
--   id     int4
--   text   text
INSERT INTO public.notes (id, text) VALUES ($1::int4, $2::text) RETURNING notes.id, notes.text;
""",
    Note,
)
LIST: Final = parse_query(
    "state/list_notes",
    """\
-- state/list_notes: gives all notes.
--
-- columns
--   id     int4
--   text   text
SELECT notes.id, notes.text FROM public.notes ORDER BY notes.id;
""",
    Note,
)


@pytest.fixture
async def database(state_dsn: Dsn) -> AsyncIterator[StateDatabase]:
    database = StateDatabase(state_dsn(Role.WRITER), limits=PoolLimits(size=2))
    await database.open()
    async with database.session() as session:
        await session.connection.execute(MAKE)
    yield database
    await database.close()


async def test_what_is_written_is_read_back(database: StateDatabase) -> None:
    assert await database.fetch_one(ADD, Note(1, "перше")) == Note(1, "перше")
    await database.write_all(ADD, [Note(2, "друге"), Note(3, "третє")])
    assert [note.id for note in await database.fetch_all(LIST)] == [1, 2, 3]


async def test_a_transaction_that_fails_leaves_nothing(database: StateDatabase) -> None:
    async def fail_half_way() -> None:
        async with database.transaction() as session:
            await session.fetch_one(ADD, Note(1, "half"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail_half_way()
    assert await database.fetch_one(LIST) is None


async def test_rows_written_at_once_are_all_kept_or_none(database: StateDatabase) -> None:
    with pytest.raises(ValuesRefused):
        await database.write_all(ADD, [Note(1, "one"), Note(1, "again")])
    assert await database.fetch_all(LIST) == []


async def test_a_table_that_is_not_there_is_named_as_not_offered(state_dsn: Dsn) -> None:
    database = StateDatabase(state_dsn(Role.WRITER), limits=PoolLimits(size=1))
    await database.open()
    with pytest.raises(NotOffered):
        await database.fetch_all(LIST)
    await database.close()


async def test_a_server_that_is_away_is_store_unavailable() -> None:
    database = StateDatabase("postgresql://vmk_writer@127.0.0.1:1/vmk_state", limits=PoolLimits(size=1))
    await database.open()
    with pytest.raises(StoreUnavailable):
        await database.fetch_all(LIST)
    await database.close()
