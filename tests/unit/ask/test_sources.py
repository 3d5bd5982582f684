"""Source files and what becomes of the catalog's rows; shipped sources open no person's column."""

import asyncio
from datetime import date
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from vmk_mcp.ask.model import ForeignKey
from vmk_mcp.ask.sources.assembling import assemble_schema
from vmk_mcp.ask.sources.catalog import CatalogRows, ColumnRow, KeyRow, RelationRow
from vmk_mcp.ask.sources.files import SHIPPED, SourceFile, read_source
from vmk_mcp.ask.sources.live import Calendar, LiveSource
from vmk_mcp.errors import NotOffered, SettingsError, StoreUnavailable

ROWS = CatalogRows(
    [RelationRow("a", "first", 10), RelationRow("b", None, 20), RelationRow("empty", None, 0)],
    [
        ColumnRow("a", "id", "integer", None, holds_words=False),
        ColumnRow("a", "name", "text", "what it is called", holds_words=True),
        ColumnRow("a", "phone", "text", None, holds_words=True),
        ColumnRow("b", "a_id", "integer", None, holds_words=False),
    ],
    [
        KeyRow("a", is_primary=True, columns=["id"], referred=None, referred_columns=None),
        KeyRow("b", is_primary=False, columns=["a_id"], referred="a", referred_columns=["id"]),
        KeyRow("b", is_primary=True, columns=["hidden"], referred=None, referred_columns=None),
    ],
)


def write(folder: Path, text: str) -> str:
    path = folder / "shop.toml"
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_source_can_be_read_and_names_no_database(name: str) -> None:
    read_as, file = read_source(name)
    assert (read_as, file.dsn, file.schema) == (name, "", "public")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_synonym_means_a_relation_that_is_open(name: str) -> None:
    _, file = read_source(name)
    for word, meaning in file.glossary.synonyms.items():
        relation, _, column = meaning.partition("=")[0].partition(".")
        assert word == word.lower()
        assert not file.open or relation in file.open, word
        assert not column or file.opens(relation, column), word


@pytest.mark.parametrize(
    ("name", "closed"),
    [
        ("listings", ["contact_phone", "contact_name", "raw_data_id", "embedding", "search_vector"]),
        ("spatial", ["wanggeyuan", "lianxidianhua", "zerenren", "dianhua", "zhibanrenyuan", "geom"]),
    ],
)
def test_peoples_and_internal_columns_are_open_in_no_shipped_source(name: str, closed: list[str]) -> None:
    _, file = read_source(name)
    for columns in file.open.values():
        assert columns
        assert not set(columns) & set(closed)


def test_only_a_token_for_all_towns_may_ask_the_spatial_source() -> None:
    assert {name for name in SHIPPED if read_source(name)[1].needs_all_towns} == {"spatial"}


def test_a_file_of_ones_own_is_read_with_all_that_it_may_hold(tmp_path: Path) -> None:
    name, file = read_source(
        write(
            tmp_path,
            'dsn = "postgresql://a:secret@h/d"\nrole = "asker"\nschema = "shop"\n'
            '[open]\norders = ["id"]\nitems = []\n[glossary]\nnotes = ["x"]\n'
            '[glossary.synonyms]\n"order" = "orders"\n[limits]\nrows = 50\nmax_cost = 1000.0\n',
        )
    )
    assert (name, file.role, file.schema, file.limits.rows) == ("shop", "asker", "shop", 50)
    assert file.opens("items", "anything")
    assert not file.opens("orders", "total")
    assert not file.opens("payments", "id")
    assert "secret" not in repr(file)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("dsn = ", "no TOML"),
        ('dsn = "postgresql://h/d"\nopne = 1', "opne"),
        ('dsn = "postgresql://h/d"\nopen = 1', "object"),
        ("", "names no database"),
    ],
)
def test_a_file_that_cannot_be_is_told_with_what_is_wrong(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=fault):
        read_source(write(tmp_path, text))


@pytest.mark.parametrize("word", ["munciipal", "/nowhere/shop.toml"])
def test_a_word_that_is_no_source_is_told(word: str) -> None:
    with pytest.raises(SettingsError, match="ASK_SOURCES"):
        read_source(word)


def test_keys_are_shown_only_where_their_columns_are_open_on_both_sides() -> None:
    first, second = assemble_schema(ROWS, SourceFile()).tables
    assert (first.name, first.primary_key, first.description) == ("a", ("id",), "first")
    assert second.foreign_keys == (ForeignKey(("a_id",), "a", ("id",)),)
    assert second.primary_key == ()


def test_a_column_that_the_file_leaves_out_is_closed_with_the_keys_over_it() -> None:
    first, second = assemble_schema(ROWS, SourceFile(open={"a": ("name",), "b": ()})).tables
    assert [column.name for column in first.columns] == ["name"]
    assert first.primary_key == ()
    assert second.foreign_keys == ()


class CountingCatalog:
    """See `Catalog`; counts how often it is read."""

    def __init__(self, rows: CatalogRows) -> None:
        self.rows = rows
        self.reads = 0
        self.failure: StoreUnavailable | None = None
        self.looked_at: list[str] = []

    async def read(self, schema: str) -> CatalogRows:
        """See `Catalog.read`."""
        self.reads += 1
        if self.failure is not None:
            raise self.failure
        return self.rows

    async def list_behind(self, schema: str, relations: object) -> list[str]:
        """See `Catalog.list_behind`."""
        return ["part"]

    async def list_values(self, schema: str, relation: str, column: str) -> list[str]:
        """See `Catalog.list_values`."""
        self.looked_at.append(f"{relation}.{column}")
        return ["x"] if column == "name" else []


async def test_a_source_that_has_grown_old_is_read_again_beside_the_call() -> None:
    clock, catalog = FakeClock(), CountingCatalog(ROWS)
    source = LiveSource("s", SourceFile(), catalog, Calendar(clock, lambda: date(2026, 11, 15)))
    before = await source.get()
    clock.advance(299.0)
    await source.get()
    assert catalog.reads == 1
    clock.advance(2.0)
    catalog.rows = CatalogRows(ROWS.relations, ROWS.columns[:2], [])
    assert await source.get() == before
    await asyncio.sleep(0)
    assert catalog.reads == 2
    assert len((await source.get()).asked.schema.tables) == 1
    await source.close()


async def test_a_caller_who_gives_up_leaves_the_first_reading_to_the_next() -> None:
    catalog = CountingCatalog(ROWS)
    source = LiveSource("s", SourceFile(), catalog, Calendar(FakeClock(), lambda: date(2026, 11, 15)))
    first = asyncio.create_task(source.get())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    assert (await source.get()).asked.schema.tables
    assert catalog.reads == 1


async def test_a_first_reading_that_fails_is_told_to_each_and_tried_again() -> None:
    catalog = CountingCatalog(ROWS)
    source = LiveSource("s", SourceFile(), catalog, Calendar(FakeClock(), lambda: date(2026, 11, 15)))
    catalog.failure = StoreUnavailable("The database is away.")
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await source.get()
    catalog.failure = None
    assert (await source.get()).asked.schema.tables


async def test_a_database_that_is_away_leaves_the_last_snapshot() -> None:
    clock, catalog = FakeClock(), CountingCatalog(ROWS)
    source = LiveSource("s", SourceFile(), catalog, Calendar(clock, lambda: date(2026, 11, 15)))
    before = await source.get()
    catalog.failure = StoreUnavailable("The database is away.")
    for _ in range(2):
        clock.advance(301.0)
        assert await source.get() == before
        await asyncio.sleep(0)
    assert catalog.reads == 3


async def test_a_check_reaches_the_database_though_the_snapshot_is_fresh() -> None:
    catalog = CountingCatalog(ROWS)
    source = LiveSource("s", SourceFile(), catalog, Calendar(FakeClock(), lambda: date(2026, 11, 15)))
    await source.get()
    await source.check()
    catalog.failure = StoreUnavailable("The database is away.")
    assert (await source.get()).asked.schema.tables
    with pytest.raises(StoreUnavailable):
        await source.check()


async def test_values_are_looked_for_in_open_columns_of_words_alone() -> None:
    catalog = CountingCatalog(ROWS)
    file = SourceFile(open={"a": ("id", "name")})
    snapshot = await LiveSource("s", file, catalog, Calendar(FakeClock(), lambda: date(2026, 11, 15))).get()
    assert catalog.looked_at == ["a.name"]
    assert snapshot.asked.values == {"a.name": ("x",)}
    assert snapshot.behind == {"part"}


async def test_a_source_in_which_nothing_is_open_is_told_to_be_one() -> None:
    catalog = CountingCatalog(CatalogRows([], [], []))
    source = LiveSource("s", SourceFile(), catalog, Calendar(FakeClock(), lambda: date(2026, 11, 15)))
    with pytest.raises(NotOffered, match="Nothing in the schema public"):
        await source.get()
