"""Somebody else's tables: fewer columns, other types, no extension; nothing crashes, and it is said."""

from datetime import date

import asyncpg
import pytest

from tests.fake_services import make_service
from tests.integration.listings.conftest import OpenStore, load_rows
from tests.integration.servers import Dsn
from tests.listing_rows import KINDS, ROWS
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.scripts import Script
from vmk_mcp.errors import NotOffered
from vmk_mcp.listings.arguments import MetadataSearch, SimilarSearch
from vmk_mcp.listings.filters import Filters, Near
from vmk_mcp.listings.live import FILTER_COLUMNS, OPTIONAL, TABLES
from vmk_mcp.listings.service import ListingService

_SAMPLES: dict[str, object] = {
    "deal_type": ["sale"], "city": ["Київ"], "district": ["Печерський"], "metro_station": ["Арсенальна"],
    "building_type": ["brick"], "renovation_status": ["euro"], "property_type": [1], "currency": "USD",
    "min_price": 1.0, "max_price": 1e9, "rooms_count": [2], "min_rooms": 1, "max_rooms": 9,
    "min_total_area": 1.0, "max_total_area": 900.0, "floor": [1], "min_floor": 1, "max_floor": 30,
    "not_first_floor": True, "not_last_floor": True, "has_balcony": True, "min_building_year": 1900,
    "max_metro_distance_meters": 9000, "published_since": date(2000, 1, 1), "listing_status": ["active"],
    "near": Near(latitude=50.45, longitude=30.52, radius_m=9000.0),
}  # fmt: skip
_NEEDED = {"id", "name"}
_ACTIVE = sum(row.record.listing_status == "active" for row in ROWS)


async def alter(dsn: Dsn, *statements: str) -> None:
    connection = await asyncpg.connect(dsn(Role.SUPERUSER))
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def search_all_ways(service: ListingService) -> None:
    """Run what a client would, none of which may fail for want of a column that it does not name."""
    await service.search_by_metadata(MetadataSearch(), contacts=True)
    await service.search_by_metadata(MetadataSearch(query="квартира", interpret=False), contacts=True)
    await service.search_by_metadata(MetadataSearch(query="вертоліт", interpret=False), contacts=False)
    await service.describe_schema()
    assert (await service.get_listing_by_id(1, contacts=True)).id == 1


_DROPPABLE = [("property_listings", name) for name in TABLES["property_listings"] if name not in _NEEDED]
_DROPPABLE += [("property_types", "slug"), ("property_types", "description")]


@pytest.mark.parametrize("chunk", range(4))
async def test_a_table_may_lack_any_column(rows_dsn: Dsn, open_store: OpenStore, chunk: int) -> None:
    store = await open_store(rows_dsn(Role.READER))
    for table, column in _DROPPABLE[chunk::4]:
        await alter(rows_dsn, f"ALTER TABLE {table} RENAME COLUMN {column} TO set_aside")
        service = make_service(store)
        ready = await service.readiness()
        if column in OPTIONAL:
            assert ready.status == "ok", column
        else:
            assert ready.status == "degraded", column
            assert any(column in reason and table in reason for reason in ready.reasons), column
        await search_all_ways(service)
        if column != "embedding":
            search = SimilarSearch(query="квартира біля метро", min_similarity=0.0, interpret=False)
            assert (await service.search_similar_listings(search, contacts=False)).total > 0, column
        for name, columns in FILTER_COLUMNS.items():
            if column in columns and table == "property_listings":
                filters = Filters(**{name: _SAMPLES[name]})  # type: ignore[arg-type]  # each value is its filter's
                with pytest.raises(NotOffered) as refused:
                    await service.search_by_metadata(MetadataSearch(filters=filters), contacts=False)
                assert refused.value.field == f"filters.{name}"
                assert column in refused.value.message
        await alter(rows_dsn, f"ALTER TABLE {table} RENAME COLUMN set_aside TO {column}")


async def test_without_a_status_column_every_listing_is_searched(
    rows_dsn: Dsn, open_store: OpenStore
) -> None:
    await alter(rows_dsn, "ALTER TABLE property_listings DROP COLUMN listing_status")
    service = make_service(await open_store(rows_dsn(Role.READER)))
    assert (await service.search_by_metadata(MetadataSearch(), contacts=False)).total == len(ROWS)


@pytest.mark.parametrize(
    ("column", "order"),
    [
        ("price", "price_asc"),
        ("currency", "price_desc"),
        ("publish_date", "date_desc"),
        ("total_area", "area_desc"),
    ],
)
async def test_an_order_by_a_missing_column_is_not_offered(
    rows_dsn: Dsn, open_store: OpenStore, column: str, order: str
) -> None:
    await alter(rows_dsn, f"ALTER TABLE property_listings DROP COLUMN {column}")
    service = make_service(await open_store(rows_dsn(Role.READER)))
    with pytest.raises(NotOffered, match=column):
        await service.search_by_metadata(MetadataSearch(sort_by=order), contacts=False)  # type: ignore[arg-type]  # one of the orders


async def test_without_the_extension_vector_words_and_filters_go_on(
    rows_dsn: Dsn, open_store: OpenStore
) -> None:
    await alter(rows_dsn, "DROP EXTENSION vector CASCADE")
    service = make_service(await open_store(rows_dsn(Role.READER)))
    ready = await service.readiness()
    assert ready.status == "degraded"
    assert any("no extension vector" in reason for reason in ready.reasons)
    with pytest.raises(NotOffered, match="Search by meaning"):
        await service.search_similar_listings(SimilarSearch(query="квартира"), contacts=False)
    await search_all_ways(service)


async def test_vectors_of_another_size_turn_search_by_meaning_off(
    rows_dsn: Dsn, open_store: OpenStore
) -> None:
    await alter(
        rows_dsn,
        "ALTER TABLE property_listings DROP COLUMN embedding",
        "ALTER TABLE property_listings ADD COLUMN embedding vector(3)",
    )
    service = make_service(await open_store(rows_dsn(Role.READER)))
    assert any("vector(768)" in reason for reason in (await service.readiness()).reasons)
    with pytest.raises(NotOffered, match=r"vector\(768\)"):
        await service.search_similar_listings(SimilarSearch(query="квартира"), contacts=False)


async def test_vectors_count_as_apart_where_they_are_apart_whatever_their_column_says(
    sample_dsn: Dsn, open_store: OpenStore
) -> None:
    store = await open_store(sample_dsn(Role.READER))
    column = "ALTER TABLE property_listings ALTER COLUMN embedding SET STORAGE"
    seen = [(await store.inspect_server()).has_inline_vectors]
    for statement in (f"{column} EXTERNAL", "VACUUM FULL property_listings", f"{column} PLAIN"):
        await alter(sample_dsn, statement)
        seen.append((await store.inspect_server()).has_inline_vectors)
    assert seen == [True, True, False, False]


async def test_extensions_in_a_schema_of_their_own_serve_all_searches(
    rows_dsn: Dsn, open_store: OpenStore
) -> None:
    await alter(
        rows_dsn,
        'CREATE SCHEMA "Of extensions"',
        f'GRANT USAGE ON SCHEMA "Of extensions" TO {Role.OWNER}',
        'ALTER EXTENSION vector SET SCHEMA "Of extensions"',
        'ALTER EXTENSION pg_trgm SET SCHEMA "Of extensions"',
        Script("roles_listings", repeatable=True).text,
    )
    service = make_service(await open_store(rows_dsn(Role.READER)))
    assert not any("vector" in reason for reason in (await service.readiness()).reasons)
    found = await service.search_similar_listings(
        SimilarSearch(query="квартира", min_similarity=0.0), contacts=False
    )
    assert found.listings
    await search_all_ways(service)
    await load_rows(rows_dsn(Role.OWNER), ROWS[:1], KINDS, "simple")


async def test_a_vector_type_that_the_login_may_not_use_turns_search_by_meaning_off(
    rows_dsn: Dsn, open_store: OpenStore
) -> None:
    await alter(rows_dsn, "CREATE SCHEMA extra", "ALTER EXTENSION vector SET SCHEMA extra")
    service = make_service(await open_store(rows_dsn(Role.READER)))
    assert any("extra.vector(768)" in reason for reason in (await service.readiness()).reasons)
    with pytest.raises(NotOffered, match=r"extra\.vector"):
        await service.search_similar_listings(SimilarSearch(query="квартира"), contacts=False)
    await search_all_ways(service)


async def test_without_trigrams_a_substring_is_found_all_the_same(
    rows_dsn: Dsn, open_store: OpenStore
) -> None:
    await alter(rows_dsn, "DROP EXTENSION pg_trgm CASCADE")
    store = await open_store(rows_dsn(Role.READER))
    found = await make_service(store).search_by_metadata(
        MetadataSearch(query="новобудов", interpret=False), contacts=False
    )
    assert ([listing.id for listing in found.listings], found.match) == ([3], "substring")
    assert not (await store.inspect_server()).has_trigrams


async def test_without_the_configuration_ukrainian_words_are_matched_as_written(
    rows_dsn: Dsn, open_store: OpenStore
) -> None:
    await alter(rows_dsn, "DROP TEXT SEARCH CONFIGURATION IF EXISTS public.ukrainian CASCADE")
    service = make_service(await open_store(rows_dsn(Role.READER)))
    found = await service.search_by_metadata(MetadataSearch(query="Будинок", interpret=False), contacts=False)
    assert (found.total, found.match, found.text_search) == (1, "words", "simple")
    assert any("ukrainian" in reason for reason in (await service.readiness()).reasons)


_OTHER_TYPES = {
    "texts": ("text", "title city district deal_type currency listing_status building_type"),
    "short texts": ("varchar(80)", "title city district metro_station"),
    "padded texts": ("char(12)", "currency deal_type listing_status"),
    "times": ("timestamptz", "publish_date created_at updated_at archived_at"),
    "large numbers": ("bigint", "rooms_count floor floors_count balcony_count metro_distance_meters"),
    "small numbers": ("smallint", "rooms_count floor floors_count building_year images_count"),
    "exact numbers": ("numeric", "total_area living_area kitchen_area latitude longitude"),
    "inexact prices": ("double precision", "price"),
    "whole prices": ("integer", "price"),
}


@pytest.mark.parametrize("types", _OTHER_TYPES)
async def test_columns_may_have_other_types(rows_dsn: Dsn, open_store: OpenStore, types: str) -> None:
    type_name, columns = _OTHER_TYPES[types]
    await alter(
        rows_dsn,
        "DROP STATISTICS property_listings_place_statistics, property_listings_price_statistics",
        "DROP INDEX ix_property_listings_active_city_price, ix_property_listings_active_price",
        "DROP INDEX ix_property_listings_active_publish_date",
        "ALTER TABLE property_listings ALTER COLUMN listing_status DROP DEFAULT",
        *(f"ALTER TABLE property_listings ALTER COLUMN {name} TYPE {type_name}" for name in columns.split()),
    )
    await answers_as_before(make_service(await open_store(rows_dsn(Role.READER))))


async def test_columns_may_be_enumerated_types(rows_dsn: Dsn, open_store: OpenStore) -> None:
    await alter(
        rows_dsn,
        "DROP STATISTICS property_listings_place_statistics, property_listings_price_statistics",
        "DROP INDEX ix_property_listings_active_city_price, ix_property_listings_active_price",
        "DROP INDEX ix_property_listings_active_publish_date",
        "ALTER TABLE property_listings ALTER COLUMN listing_status DROP DEFAULT",
        "CREATE TYPE status AS ENUM ('active', 'sold', 'archived')",
        "CREATE TYPE money_unit AS ENUM ('USD', 'EUR', 'UAH')",
        "CREATE TYPE deal AS ENUM ('sale', 'rent_long')",
        "ALTER TABLE property_listings ALTER listing_status TYPE status USING listing_status::status",
        "ALTER TABLE property_listings ALTER currency TYPE money_unit USING currency::money_unit",
        "ALTER TABLE property_listings ALTER deal_type TYPE deal USING deal_type::deal",
    )
    await answers_as_before(make_service(await open_store(rows_dsn(Role.READER))))


async def answers_as_before(service: ListingService) -> None:
    """Try every filter and every way of searching over the dozen rows."""
    await search_all_ways(service)
    found = await service.search_by_metadata(MetadataSearch(), contacts=False)
    assert found.total == _ACTIVE
    filters = Filters(
        city=["київ"], deal_type=["sale"], min_price=50_000, max_price=300_000, rooms_count=[1, 2, 5],
        published_since=date(2025, 12, 31),
    )  # fmt: skip
    found = await service.search_by_metadata(
        MetadataSearch(filters=filters, sort_by="price_asc"), contacts=True
    )
    assert [listing.id for listing in found.listings] == [2, 1, 5]
    assert found.listings[1].contact_phone == "+380000000001"
    near = Filters(near=Near(latitude=50.45, longitude=30.52, radius_m=5000.0), has_balcony=True)
    search = SimilarSearch(query="квартира біля метро", filters=near, min_similarity=0.0, interpret=False)
    assert [n.id for n in (await service.search_similar_listings(search, contacts=False)).listings] == [1]


async def test_a_table_that_may_not_be_read_is_unavailable_until_it_may(
    rows_dsn: Dsn, open_store: OpenStore
) -> None:
    await alter(rows_dsn, "REVOKE SELECT ON property_listings FROM vmk_reader")
    service = make_service(await open_store(rows_dsn(Role.READER)))
    ready = await service.readiness()
    assert (ready.status, ready.reasons) == ("unavailable", ("no readable table property_listings",))
    with pytest.raises(NotOffered):
        await service.search_by_metadata(MetadataSearch(), contacts=False)
    await alter(rows_dsn, "GRANT SELECT ON property_listings TO vmk_reader")
    assert (await service.search_by_metadata(MetadataSearch(), contacts=False)).total == _ACTIVE
    assert (await service.readiness()).status != "unavailable"


async def test_a_column_that_goes_while_the_service_runs_is_told_by_readiness(
    rows_dsn: Dsn, open_store: OpenStore
) -> None:
    service = make_service(await open_store(rows_dsn(Role.READER)))
    await service.search_by_metadata(MetadataSearch(), contacts=False)
    await alter(rows_dsn, "ALTER TABLE property_listings DROP COLUMN rooms_count")
    assert any("rooms_count" in reason for reason in (await service.readiness()).reasons)
    with pytest.raises(NotOffered, match="rooms_count"):
        await service.search_by_metadata(MetadataSearch(filters=Filters(rooms_count=[2])), contacts=False)
