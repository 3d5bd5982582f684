"""Files into a real table: all columns, twice the same, refused rows and the sample apart, vectors kept."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.integration.loading.files import (
    digest_table,
    fetch_value,
    load,
    own_listings,
    run,
    settings_in,
    write_csv,
    write_json_lines,
)
from tests.integration.servers import Dsn
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.records import read_embedding_model
from vmk_mcp.database.writer import Writer
from vmk_mcp.errors import NotOffered, SettingsError, StartError, StoreUnavailable
from vmk_mcp.listings.writing import with_words, write_listings
from vmk_mcp.sample.listings import make_listings

COUNT = "SELECT count(*) FROM property_listings"
CONFIGURATION = "SELECT coalesce(max(cfgname), 'simple') FROM pg_ts_config WHERE cfgname = 'ukrainian'"

_WORDS = "SELECT array_agg(search_vector::text ORDER BY id) FROM property_listings"


@pytest.fixture
async def own_dsn(listings_dsn: Dsn) -> str:
    """The owner's DSN of a database of ours, with no listings and no kinds of property."""
    return listings_dsn(Role.OWNER)


async def test_csv_and_json_lines_of_one_table_give_the_same_listings(own_dsn: str, tmp_path: Path) -> None:
    rows, settings = own_listings(300), settings_in(tmp_path)
    table = write_csv(tmp_path / "a.csv", rows)
    lines = write_json_lines(tmp_path / "a.jsonl", rows)
    first = (await asyncio.to_thread(load, settings, table, own_dsn)).tally
    loaded = await digest_table(own_dsn)
    again = (await asyncio.to_thread(load, settings, lines, own_dsn)).tally
    assert (first.inserted, first.refused) == (300, 0)
    assert (again.inserted, again.updated, again.unchanged) == (0, 0, 300)
    assert await digest_table(own_dsn) == loaded


async def test_what_was_loaded_is_what_the_samples_own_way_writes(own_dsn: str, tmp_path: Path) -> None:
    records = make_listings(200)
    rows = own_listings(200)
    await asyncio.to_thread(load, settings_in(tmp_path), write_csv(tmp_path / "a.csv", rows), own_dsn)
    loaded = await digest_table(own_dsn)
    configuration = await fetch_value(own_dsn, CONFIGURATION)
    changed = [
        _with(record, id=row["id"], url_source=row["url_source"])
        for record, row in zip(records, rows, strict=True)
    ]
    async with Writer(own_dsn) as writer:
        await write_listings(
            writer, [with_words(record, None, configuration=configuration) for record in changed], []
        )
    assert await digest_table(own_dsn) == loaded


def _with(record: Any, **values: Any) -> Any:
    return type(record)(**{name: getattr(record, name) for name in record.__struct_fields__} | values)


async def test_a_vector_stays_with_its_text_and_goes_with_it(own_dsn: str, tmp_path: Path) -> None:
    rows, settings = own_listings(3), settings_in(tmp_path)
    await asyncio.to_thread(load, settings, write_csv(tmp_path / "a.csv", rows), own_dsn)
    await run(own_dsn, "UPDATE property_listings SET embedding = array_fill(1, ARRAY[768])::vector")
    rows[0]["price"], rows[1]["title"] = "1", "Зовсім інша назва"
    outcome = await asyncio.to_thread(load, settings, write_csv(tmp_path / "a.csv", rows), own_dsn)
    assert (outcome.tally.updated, outcome.tally.unchanged, outcome.without_vector) == (2, 1, 1)
    empty = "SELECT array_agg(id) FROM property_listings WHERE embedding IS NULL"
    assert await fetch_value(own_dsn, empty) == [rows[1]["id"]]


async def test_columns_that_the_file_lacks_stay_as_they_are(own_dsn: str, tmp_path: Path) -> None:
    settings, rows = settings_in(tmp_path), own_listings(2)
    await asyncio.to_thread(load, settings, write_csv(tmp_path / "a.csv", rows), own_dsn)
    words = await fetch_value(own_dsn, _WORDS)
    short = [{"id": row["id"], "title": row["title"], "price": 5} for row in rows]
    outcome = await asyncio.to_thread(load, settings, write_csv(tmp_path / "b.csv", short), own_dsn)
    assert outcome.tally.updated == 2
    cities = await fetch_value(own_dsn, "SELECT array_agg(city ORDER BY id) FROM property_listings")
    assert cities == [row["city"] for row in rows]
    assert await fetch_value(own_dsn, _WORDS) == words


async def test_a_trial_writes_nothing_at_all(own_dsn: str, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", own_listings(10))
    outcome = await asyncio.to_thread(load, settings_in(tmp_path), path, own_dsn, is_trial=True)
    assert outcome.tally.inserted == 10
    assert await fetch_value(own_dsn, COUNT) == 0
    assert await fetch_value(own_dsn, "SELECT count(*) FROM property_types") == 0
    assert not (tmp_path / "loads").exists()


async def test_the_sample_is_never_mixed_with_peoples_own(own_dsn: str, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    sample = [with_words(record, None, configuration="simple") for record in make_listings(50)]
    async with Writer(own_dsn) as writer:
        await write_listings(writer, [_with(one, property_type_id=None) for one in sample], [])
    path = write_csv(tmp_path / "a.csv", own_listings(3, first_id=49))
    with pytest.raises(StartError, match="50 made-up listings") as caught:
        await asyncio.to_thread(load, settings, path, own_dsn)
    assert "--replace-sample" in caught.value.hint
    assert await fetch_value(own_dsn, COUNT) == 50
    await asyncio.to_thread(load, settings, path, own_dsn, replaces_sample=True)
    assert await fetch_value(own_dsn, "SELECT array_agg(id ORDER BY id) FROM property_listings") == [
        49,
        50,
        51,
    ]


async def test_the_first_load_records_the_model_so_that_no_sample_comes_later(
    own_dsn: str, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "a.csv", own_listings(2))
    await asyncio.to_thread(load, settings_in(tmp_path), path, own_dsn)
    async with Writer(own_dsn) as writer:
        recorded = await read_embedding_model(writer)
    assert recorded is not None
    assert (recorded.model, recorded.dimensions) == ("multilingual-e5-small", 384)


async def test_a_checkpoint_of_rows_that_are_gone_is_not_trusted(own_dsn: str, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    rows = own_listings(1200)
    path = write_json_lines(tmp_path / "a.jsonl", [*rows[:1100], {"id": "x"}, *rows[1100:]])
    with pytest.raises(Exception, match="line 1101, id"):
        await asyncio.to_thread(load, settings, path, own_dsn, is_strict=True)
    assert len(list((tmp_path / "loads").iterdir())) == 1
    await run(own_dsn, "DELETE FROM property_listings WHERE id < 1000005")
    outcome = await asyncio.to_thread(load, settings, path, own_dsn)
    assert (outcome.tally.inserted, outcome.tally.unchanged, outcome.tally.refused) == (105, 1095, 1)
    assert list((tmp_path / "loads").iterdir()) == []


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("ALTER TABLE property_listings DROP COLUMN search_vector", "no column search_vector"),
        ("ALTER TABLE property_listings DROP COLUMN embedding", "no column embedding"),
        ("DROP TABLE property_types CASCADE", "no table property_types"),
    ],
)
async def test_what_the_table_lacks_is_named_before_anything_is_written(
    listings_dsn: Dsn, tmp_path: Path, statement: str, message: str
) -> None:
    await run(listings_dsn(Role.SUPERUSER), statement)
    path = write_csv(tmp_path / "a.csv", own_listings(2))
    with pytest.raises(NotOffered, match=message):
        await asyncio.to_thread(load, settings_in(tmp_path), path, listings_dsn(Role.OWNER))
    assert await fetch_value(listings_dsn(Role.OWNER), COUNT) == 0


async def test_the_reading_role_is_refused_in_words(listings_dsn: Dsn, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", own_listings(2))
    with pytest.raises(NotOffered, match="may only read"):
        await asyncio.to_thread(load, settings_in(tmp_path), path, listings_dsn(Role.READER))


async def test_a_foreign_database_takes_listings_as_it_is(listings_dsn: Dsn, tmp_path: Path) -> None:
    await run(
        listings_dsn(Role.SUPERUSER),
        "DROP SCHEMA vmk_mcp CASCADE",
        "INSERT INTO property_types (id, slug, name) VALUES (1, 'apartment', 'Квартира')",
        "CREATE TYPE deal AS ENUM ('sale', 'rent_long')",
        """
        ALTER TABLE property_listings
        DROP COLUMN latitude, DROP COLUMN longitude, DROP COLUMN raw_data_id, DROP COLUMN search_vector,
        ADD COLUMN search_vector tsvector GENERATED ALWAYS AS (to_tsvector('simple', title)) STORED,
        ADD COLUMN scraped_by text NOT NULL DEFAULT 'collector',
        ALTER COLUMN deal_type TYPE deal USING deal_type::deal,
        ALTER COLUMN created_at TYPE timestamptz,
        ALTER COLUMN created_at SET DEFAULT now(),
        ALTER COLUMN created_at SET NOT NULL
        """,
    )
    rows = [
        {"id": 1, "title": "Перша квартира", "deal_type": "продаж", "lat": 50.1, "property_type": "квартира"},
        {"id": 2, "title": "Друга", "deal_type": "rent_short", "lat": 50.1, "property_type": 1},
        {"id": 3, "title": "Третя", "deal_type": "rent_long", "lat": "", "property_type": ""},
    ]
    owner, settings = listings_dsn(Role.OWNER), settings_in(tmp_path)
    path = write_csv(tmp_path / "a.csv", rows)
    for expected in ((2, 0), (0, 2)):
        tally = (await asyncio.to_thread(load, settings, path, owner)).tally
        assert (tally.inserted, tally.unchanged, tally.refused) == (*expected, 1)
    stored = "SELECT array_agg(scraped_by || ' ' || deal_type ORDER BY id) FROM property_listings"
    assert await fetch_value(owner, stored) == ["collector sale", "collector rent_long"]
    assert await fetch_value(owner, "SELECT created_at IS NOT NULL FROM property_listings WHERE id = 1")


async def test_a_row_that_the_table_refuses_is_named_and_the_others_go_in(
    own_dsn: str, tmp_path: Path
) -> None:
    await run(own_dsn, "ALTER TABLE property_listings ALTER COLUMN city TYPE varchar(30)")
    rows = own_listings(40)
    rows[17]["city"] = "Місто з дуже довгою назвою над річкою"
    path, errors = write_json_lines(tmp_path / "a.jsonl", rows), tmp_path / "errors.jsonl"
    outcome = await asyncio.to_thread(load, settings_in(tmp_path), path, own_dsn, errors=errors)
    assert (outcome.tally.inserted, outcome.tally.refused) == (39, 1)
    assert "a text is longer than its column takes" in errors.read_text("utf-8")
    assert '"number":18' in errors.read_text("utf-8")


async def test_a_database_that_cannot_be_reached_is_said_to_be_so(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", own_listings(2))
    with pytest.raises(StoreUnavailable):
        await asyncio.to_thread(load, settings_in(tmp_path), path, "postgresql://u:p@127.0.0.1:1/x")
    with pytest.raises(SettingsError, match="--dsn"):
        await asyncio.to_thread(load, settings_in(tmp_path), path, "mysql://x")


async def test_a_vector_written_is_the_vector_read(own_dsn: str, tmp_path: Path) -> None:
    """Loading over a listing that has a vector copies the whole row, vector and all."""
    rows = own_listings(1)
    path = write_csv(tmp_path / "a.csv", rows)
    await asyncio.to_thread(load, settings_in(tmp_path), path, own_dsn)
    vector = np.linspace(-1, 1, 768, dtype=np.float32)
    await run(own_dsn, f"UPDATE property_listings SET embedding = '{vector.tolist()}'")
    rows[0]["price"] = "77"
    path = write_csv(tmp_path / "a.csv", rows)
    await asyncio.to_thread(load, settings_in(tmp_path), path, own_dsn)
    stored = await fetch_value(own_dsn, "SELECT embedding::text FROM property_listings")
    assert np.allclose(np.array(stored.strip("[]").split(","), dtype=np.float32), vector)
