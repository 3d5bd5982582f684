"""What the planner makes of the files: indexes where they should serve, and nothing of `absent`."""

import re
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import asyncpg
import pytest

import vmk_mcp.listings.store as store_module
from tests.integration.servers import Dsn
from tests.listing_store_contract import similar, sorted_by, words
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import PoolLimits, reading_session
from vmk_mcp.database.query import PageQuery, Query
from vmk_mcp.database.vectors import register_vectors
from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.queries import IdQuery, SubstringQuery

SQL = Path(store_module.__file__).parent / "sql"
QUERIES: dict[str, Query[Any] | PageQuery[Any, Any]] = {
    value.name.removeprefix("listings/"): value
    for value in vars(store_module).values()
    if isinstance(value, Query | PageQuery)
}


@pytest.fixture
async def connection(sample_dsn: Dsn) -> AsyncIterator["asyncpg.Connection[Any]"]:
    """A connection over the sample, to which reading a whole table is dear, as with more rows it would be."""
    session = reading_session(PoolLimits()) | {"enable_seqscan": "off"}
    connection = await asyncpg.connect(sample_dsn(Role.READER), server_settings=session)
    await register_vectors(connection)
    yield connection
    await connection.close()


async def explain(connection: "asyncpg.Connection[Any]", name: str, arguments: object) -> str:
    query = QUERIES[name]
    rows = await connection.fetch(f"EXPLAIN (COSTS OFF, VERBOSE) {query.sql}", *query.bind(arguments))
    return "\n".join(row[0] for row in rows)


async def test_a_city_a_deal_and_a_price_are_found_through_their_index(
    connection: "asyncpg.Connection[Any]",
) -> None:
    criteria = Criteria(
        cities=["Київ"], deal_types=["sale"], listing_statuses=["active"], price_currencies=["USD"],
        price_minima=[Decimal(1)], price_maxima=[Decimal(100_000)],
    )  # fmt: skip
    plan = await explain(connection, "find_by_filters", sorted_by("price_asc", criteria))
    assert "ix_property_listings_active_city_price" in plan


@pytest.mark.parametrize(
    ("criteria", "index"),
    [
        (Criteria(districts=["Печерський"]), "ix_property_listings_district"),
        (Criteria(metro_stations=["Вокзальна"]), "ix_property_listings_metro_station"),
        (Criteria(property_type_ids=[12], rooms_counts=[1]), "ix_property_listings_property_type_id"),
        (
            Criteria(near_latitude=50.45, near_longitude=30.52, near_radius_m=500.0),
            "ix_property_listings_place",
        ),
    ],
)
async def test_a_filter_uses_the_index_of_its_column(
    connection: "asyncpg.Connection[Any]", criteria: Criteria, index: str
) -> None:
    assert index in await explain(connection, "find_by_filters", sorted_by("relevance", criteria))
    assert index in await explain(connection, "find_similar_exact", similar(criteria))


async def test_words_substrings_meaning_and_ids_use_their_indexes(
    connection: "asyncpg.Connection[Any]",
) -> None:
    assert "property_listings_search_vector_idx" in await explain(
        connection, "find_by_words", words("квартира")
    )
    sorting = {
        name: getattr(sorted_by("relevance"), name) for name in sorted_by("relevance").__struct_fields__
    }
    substring = SubstringQuery(**sorting, pattern="%новобудов%")
    assert "ix_property_listings_text_trgm" in await explain(connection, "find_by_substring", substring)
    assert "property_listings_embedding_idx" in await explain(
        connection, "find_similar_approximate", similar()
    )
    assert "property_listings_pkey" in await explain(connection, "get_listing", IdQuery(1, contacts=False))


async def test_nothing_is_left_of_the_columns_that_might_be_absent(
    connection: "asyncpg.Connection[Any]",
) -> None:
    for name in ("find_by_filters", "find_similar_exact", "find_similar_approximate", "find_by_words"):
        arguments = {"find_by_filters": sorted_by("relevance"), "find_by_words": words("квартира")}
        plan = await explain(connection, name, arguments.get(name, similar()))
        assert "absent" not in plan, name
        assert "$1" not in plan, name


async def test_an_absent_column_folds_to_null_and_costs_nothing(
    sample_dsn: Dsn, connection: "asyncpg.Connection[Any]"
) -> None:
    owner = await asyncpg.connect(sample_dsn(Role.OWNER))
    await owner.execute("ALTER TABLE property_listings DROP COLUMN rooms_count")
    await owner.close()
    plan = await explain(
        connection, "find_by_filters", sorted_by("relevance", Criteria(districts=["Печерський"]))
    )
    assert "ix_property_listings_district" in plan
    plan = await explain(connection, "find_by_filters", sorted_by("relevance", Criteria(rooms_counts=[2])))
    assert "One-Time Filter: false" in plan


def test_the_block_of_filters_is_word_for_word_the_same_in_every_file() -> None:
    files = {path.stem: path.read_text("utf-8") for path in SQL.glob("*.sql")}
    searching = {name: text for name, text in files.items() if "$28::float8" in text}
    assert len(searching) >= 7
    blocks = {block for text in searching.values() for block in filter_blocks(text)}
    assert len(blocks) == 1


def filter_blocks(text: str) -> list[str]:
    """Give each block of conditions on $1 to $29, its blanks put right."""
    flat = " ".join(text.split())
    first = "($1::text[] IS NULL OR"
    last = "SIN(RADIANS(l.longitude - $28::float8) / 2.0) ^ 2 ))) <= $29::float8 ) )"
    return [
        flat[match.start() : flat.index(last, match.start()) + len(last)]
        for match in re.finditer(re.escape(first), flat)
    ]
