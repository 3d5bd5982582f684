"""Search by meaning over the sample: order, both routes, metrics, thresholds, walks, rows that go."""

import asyncpg
import numpy as np
import pytest
from msgspec.structs import replace

from tests.integration.listings.conftest import OpenStore
from tests.integration.servers import Dsn
from tests.listing_rows import Row, passes
from tests.listing_store_contract import similar
from vmk_mcp.database.credentials import Role
from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.queries import SimilarQuery, Vector
from vmk_mcp.listings.routing import Extent, Routes, find_by_vector
from vmk_mcp.listings.store import PostgresListingStore

ACTIVE = Criteria(listing_statuses=["active"])
CANDIDATES = 200


def distances(rows: list[Row], vector: Vector, metric: str) -> dict[int, float]:
    """Give the distance of each embedded row by brute force, by id, nearest first, ties by id."""
    found = []
    for row in rows:
        if row.embedding is not None:
            near = {
                "cosine": 1 - float(row.embedding @ vector),
                "l2": float(np.linalg.norm(row.embedding - vector)),
                "inner_product": -float(row.embedding @ vector),
            }
            found.append((near[metric], row.record.id))
    return {number: distance for distance, number in sorted(found)}


@pytest.fixture
def vector(sample: list[Row]) -> Vector:
    rng = np.random.default_rng(3)
    unit = rng.standard_normal(768).astype(np.float32)
    return unit / np.linalg.norm(unit)


@pytest.mark.parametrize("metric", ["cosine", "l2", "inner_product"])
async def test_the_exact_way_gives_the_order_of_brute_force(
    sample_store: PostgresListingStore, sample: list[Row], vector: Vector, metric: str
) -> None:
    rows = [row for row in sample if passes(ACTIVE, row.record)]
    truth = distances(rows, vector, metric)
    measured, found = await sample_store.find_similar_exact(similar(ACTIVE, embedding=vector, metric=metric))
    assert measured.examined == measured.total == len(truth)
    assert [listing.id for listing in found] == list(truth)[:100]
    if metric != "cosine":
        assert [n.distance for n in found] == pytest.approx(list(truth.values())[:100], abs=1e-5)


@pytest.mark.parametrize("metric", ["l2", "inner_product"])
async def test_other_metrics_order_vectors_that_are_no_unit_vectors(
    sample_dsn: Dsn, open_store: OpenStore, sample: list[Row], vector: Vector, metric: str
) -> None:
    # Lengths from 0.5 to 2: only now do the metrics disagree.
    scaled = [
        row if row.embedding is None else Row(row.record, row.embedding * (0.5 + row.record.id % 7 / 4))
        for row in sample
    ]
    connection = await asyncpg.connect(sample_dsn(Role.OWNER))
    await connection.execute(
        """
        UPDATE property_listings
        SET embedding = embedding * array_fill((0.5 + id % 7 / 4.0)::real, '{768}')::vector
        """
    )
    await connection.close()
    store = await open_store(sample_dsn(Role.READER))
    truth = distances([row for row in scaled if passes(ACTIVE, row.record)], vector, metric)
    query = similar(ACTIVE, embedding=vector, metric=metric, limit=50)
    _, found = await store.find_similar_exact(query)
    assert [n.id for n in found] == list(truth)[:50]
    _, found = await store.find_similar_approximate(replace(query, most=500))
    assert [n.id for n in found] == list(truth)[:50]
    by_cosine = {
        n.id: n.similarity_score for n in (await store.find_similar_exact(replace(query, metric="cosine")))[1]
    }
    assert list(by_cosine) != list(truth)[:50]


async def test_a_threshold_counts_what_passes_it_in_every_metric(
    sample_store: PostgresListingStore, sample: list[Row], vector: Vector
) -> None:
    truth = distances([row for row in sample if passes(ACTIVE, row.record)], vector, "cosine")
    middle = sorted(truth.values())[60] + 1e-6
    for metric in ("cosine", "l2", "inner_product"):
        query = similar(ACTIVE, embedding=vector, metric=metric, max_distance=middle)
        measured, found = await sample_store.find_similar_exact(query)
        assert (measured.examined, measured.total, len(found)) == (len(truth), 61, 61)
        assert {n.id for n in found} == set(list(truth)[:61])


FILTERED = {
    "no filter": Criteria(),
    "half": Criteria(deal_types=["sale"]),
    "a tenth": Criteria(rooms_counts=[2]),
    "few": Criteria(cities=["Львів"], deal_types=["sale"]),
    "one": Criteria(cities=["Львів"], rooms_counts=[2], deal_types=["sale"], min_total_area=30.0),
}


@pytest.mark.parametrize("name", FILTERED)
async def test_the_index_finds_what_the_exact_way_finds(
    sample_store: PostgresListingStore, vector: Vector, name: str
) -> None:
    query = similar(FILTERED[name], embedding=vector, limit=10)
    _, exact = await sample_store.find_similar_exact(query)
    _, near = await sample_store.find_similar_approximate(replace(query, most=CANDIDATES))
    assert len(near) == len(exact)
    shared = {n.id for n in exact} & {n.id for n in near}
    assert len(shared) >= 0.9 * len(exact)


async def test_a_page_of_a_hundred_is_full(sample_store: PostgresListingStore, vector: Vector) -> None:
    query = similar(embedding=vector, limit=100, most=CANDIDATES)
    measured, found = await sample_store.find_similar_approximate(query)
    assert (measured.examined, len(found)) == (CANDIDATES, 100)


async def walk(
    store: PostgresListingStore, query: SimilarQuery, *, bound: int, size: int
) -> tuple[str, list[int]]:
    """Walk all pages of a search by the routes, and give the route and the ids."""
    routes = Routes(
        store.find_similar_exact, store.find_similar_approximate, store.estimate_matching, store.probe_nearest
    )
    extent = Extent(total=400, at_most=400, bound=bound)
    walked: list[int] = []
    ways = set()
    while True:
        page = replace(query, limit=size, offset=len(walked))
        head, found, way = await find_by_vector(page, routes, extent, most=CANDIDATES)
        ways.add(way)
        walked += [n.id for n in found]
        if len(walked) >= min(head.total, CANDIDATES if way == "approximate" else head.total):
            (only,) = ways
            return only, walked
        assert len(found) == size


@pytest.mark.parametrize(("bound", "way"), [(20_000, "exact"), (50, "approximate")])
async def test_pages_are_one_list_on_either_route(
    sample_store: PostgresListingStore, vector: Vector, bound: int, way: str
) -> None:
    query = similar(embedding=vector, most=0)
    taken, walked = await walk(sample_store, query, bound=bound, size=8)
    assert taken == way
    assert len(walked) == len(set(walked)) == (CANDIDATES if way == "approximate" else 374)
    _, whole = await walk(sample_store, query, bound=bound, size=100)
    assert walked == whole


async def test_equal_vectors_are_told_apart_by_id_on_every_page(
    sample_dsn: Dsn, open_store: OpenStore, vector: Vector
) -> None:
    connection = await asyncpg.connect(sample_dsn(Role.OWNER))
    await connection.execute(
        "UPDATE property_listings SET embedding = (SELECT embedding FROM property_listings WHERE id = 1)"
    )
    await connection.close()
    store = await open_store(sample_dsn(Role.READER))
    walked: list[int] = []
    for offset in range(0, 400, 7):
        _, found = await store.find_similar_exact(similar(embedding=vector, limit=7, offset=offset))
        walked += [n.id for n in found]
    assert walked == list(range(1, 401))


async def test_rows_deleted_and_updated_without_vacuum_do_not_empty_an_answer(
    sample_dsn: Dsn, open_store: OpenStore, sample: list[Row], vector: Vector
) -> None:
    connection = await asyncpg.connect(sample_dsn(Role.OWNER))
    await connection.execute("ALTER TABLE property_listings SET (autovacuum_enabled = off)")
    # The nearest third goes, and the rest is written anew ten times: 3,000 dead rows among the candidates.
    nearest = list(distances(sample, vector, "cosine"))[:130]
    await connection.execute("DELETE FROM property_listings WHERE id = ANY($1::bigint[])", nearest)
    for _ in range(10):
        await connection.execute("UPDATE property_listings SET images_count = coalesce(images_count, 0) + 1")
    await connection.close()
    store = await open_store(sample_dsn(Role.READER))
    left = [row for row in sample if row.record.id not in set(nearest)]
    truth = distances(left, vector, "cosine")
    measured, found = await store.find_similar_approximate(
        similar(embedding=vector, limit=20, most=CANDIDATES)
    )
    assert measured.examined == CANDIDATES
    assert len({n.id for n in found} & set(list(truth)[:20])) >= 18
    filtered = Criteria(cities=["Львів"])
    _, found = await store.find_similar_approximate(similar(filtered, embedding=vector, most=CANDIDATES))
    assert {n.id for n in found} == {
        row.record.id for row in left if row.record.city == "Львів" and row.embedding is not None
    }
