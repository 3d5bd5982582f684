"""The prepared databases: their columns, indexes, ledger, and what a second preparation does."""

import asyncpg
import msgspec
import pytest

from tests.integration.servers import Dsn, MakeDatabase, drop_database, named, quiet
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.prepare import prepare_database
from vmk_mcp.database.scripts import Blueprint, blueprint_listings
from vmk_mcp.errors import StartError
from vmk_mcp.listings.model import ListingRecord

_CONFIGURATION = "SELECT FROM pg_ts_config WHERE cfgname = 'ukrainian'"


async def fetch(dsn: str, sql: str, *values: object) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetch(sql, *values)
    finally:
        await connection.close()


async def test_the_table_has_the_columns_of_a_record_in_their_order_and_two_more(listings_dsn: Dsn) -> None:
    rows = await fetch(
        listings_dsn(Role.READER),
        """
        SELECT attname FROM pg_attribute
        WHERE attrelid = 'property_listings'::regclass AND attnum > 0 ORDER BY attnum
        """,
    )
    fields = [field.name for field in msgspec.structs.fields(ListingRecord)]
    assert [row["attname"] for row in rows] == [*fields, "embedding", "search_vector"]


async def test_two_rows_with_their_vectors_lie_in_one_page_and_titles_in_the_row(listings_dsn: Dsn) -> None:
    connection = await asyncpg.connect(listings_dsn(Role.OWNER))
    try:
        await connection.execute(
            """
            INSERT INTO property_listings (id, title, description, url_source, embedding, search_vector)
            SELECT n, repeat('назва ', 15), t.words, 'https://example.org/' || md5(n::text),
                (SELECT array_agg(random()) FROM generate_series(1, 768) WHERE n > 0)::vector(768),
                to_tsvector('simple', t.words)
            FROM generate_series(1, 40) AS n
            CROSS JOIN LATERAL (
                SELECT string_agg(md5((n * m)::text), ' ') AS words FROM generate_series(1, 40) AS m
            ) AS t
            """
        )
        pages = await connection.fetchval(
            "SELECT count(DISTINCT (ctid::text::point)[0]) FROM property_listings"
        )
        outside = await connection.fetchval(
            "SELECT count(*) FROM property_listings WHERE pg_column_toast_chunk_id(title) IS NOT NULL"
        )
    finally:
        await connection.close()
    assert pages == 20
    assert outside == 0


async def test_the_usual_search_uses_the_index_of_active_listings(listings_dsn: Dsn) -> None:
    connection = await asyncpg.connect(
        listings_dsn(Role.OWNER), server_settings={"plan_cache_mode": "force_custom_plan"}
    )
    try:
        await connection.execute(
            """
            INSERT INTO property_listings (id, title, city, deal_type, currency, price, listing_status)
            SELECT n, 'x', 'місто ' || n % 50, 'sale', 'USD', n,
                CASE WHEN n % 4 = 0 THEN 'sold' ELSE 'active' END
            FROM generate_series(1, 4000) AS n
            """
        )
        await connection.execute("ANALYZE property_listings")
        plan = await connection.fetch(
            """
            EXPLAIN SELECT l.id FROM property_listings AS l
            WHERE ($1::text[] IS NULL OR l.listing_status = ANY($1::text[]))
                AND ($2::text[] IS NULL OR l.city = ANY($2::text[]))
                AND ($3::text[] IS NULL OR l.deal_type = ANY($3::text[]))
                AND (
                    $4::text[] IS NULL
                    OR (l.currency = ($4::text[])[1] AND l.price <= 500)
                    OR (l.currency = ($4::text[])[2] AND l.price <= 20000)
                )
            """,
            ["active"],
            ["місто 1"],
            ["sale"],
            ["USD", "UAH"],
        )
    finally:
        await connection.close()
    assert any("ix_property_listings_active_city_price" in row[0] for row in plan)


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("property_listings_embedding_idx", "USING hnsw (embedding vector_cosine_ops)"),
        ("property_listings_search_vector_idx", "USING gin (search_vector)"),
        ("ix_property_listings_city", "(city)"),
        ("ix_property_listings_price", "(price)"),
    ],
)
async def test_an_index_of_the_seed_is_there_under_its_name(
    name: str, definition: str, listings_dsn: Dsn
) -> None:
    rows = await fetch(
        listings_dsn(Role.READER), "SELECT indexdef FROM pg_indexes WHERE indexname = $1", name
    )
    assert definition in rows[0]["indexdef"]


async def test_all_that_is_ours_belongs_to_an_owner_without_power(listings_dsn: Dsn) -> None:
    rows = await fetch(
        listings_dsn(Role.READER),
        """
        SELECT DISTINCT pg_get_userbyid(c.relowner) AS owner, r.rolsuper
        FROM pg_class AS c INNER JOIN pg_roles AS r ON r.oid = c.relowner
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
        """,
    )
    assert [tuple(row) for row in rows] == [("vmk_owner", False)]


async def test_a_current_database_is_left_alone(
    cluster: EmbeddedServer, make_database: MakeDatabase, listings_template: Blueprint
) -> None:
    name = await make_database(listings_template)
    stamps = "SELECT name, applied_at FROM vmk_mcp.applied_scripts ORDER BY name"
    before = await fetch(cluster.dsn(Role.SUPERUSER, name), stamps)
    said: list[str] = []
    await prepare_database(cluster, named(listings_template, name), said.append)
    assert await fetch(cluster.dsn(Role.SUPERUSER, name), stamps) == before
    assert said == []


async def test_a_dictionary_that_comes_late_is_taken_and_what_it_means_is_said(
    cluster: EmbeddedServer,
) -> None:
    said: list[str] = []
    plain = named(blueprint_listings(has_dictionary=False), "late_dictionary")
    full = named(blueprint_listings(has_dictionary=True), "late_dictionary")
    try:
        await prepare_database(cluster, plain, said.append)
        assert await fetch(cluster.dsn(Role.READER, "late_dictionary"), _CONFIGURATION) == []
        await prepare_database(cluster, full, said.append)
        assert len(await fetch(cluster.dsn(Role.READER, "late_dictionary"), _CONFIGURATION)) == 1
    finally:
        await drop_database(cluster, "late_dictionary")
    assert said == [
        "Made the database late_dictionary",
        "Bringing the database late_dictionary up to date",
        "Words are now found in their inflections; listings loaded before only once they are loaded again.",
    ]


async def test_a_migration_in_another_wording_is_refused_by_name(
    cluster: EmbeddedServer, make_database: MakeDatabase, listings_template: Blueprint
) -> None:
    name = await make_database(listings_template)
    await fetch(
        cluster.dsn(Role.SUPERUSER, name),
        "UPDATE vmk_mcp.applied_scripts SET checksum = 'x' WHERE name = 'listings_001_tables'",
    )
    with pytest.raises(StartError, match="listings_001_tables"):
        await prepare_database(cluster, named(listings_template, name), quiet)


async def test_a_failed_preparation_leaves_nothing_half_done(
    cluster: EmbeddedServer, make_database: MakeDatabase, listings_template: Blueprint
) -> None:
    name = await make_database(listings_template)
    superuser = cluster.dsn(Role.SUPERUSER, name)
    await fetch(superuser, "DELETE FROM vmk_mcp.applied_scripts WHERE name = 'listings_002_indexes'")
    await fetch(superuser, "DROP INDEX property_listings_embedding_idx")
    with pytest.raises(StartError, match="could not be prepared") as caught:
        await prepare_database(cluster, named(listings_template, name), quiet)
    assert str(cluster.log) in caught.value.hint
    indexes = await fetch(
        superuser, "SELECT FROM pg_indexes WHERE indexname = 'property_listings_embedding_idx'"
    )
    assert indexes == []
