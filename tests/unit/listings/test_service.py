"""The rules of searching: routes, totals, pages, fallbacks, hints and rights, over the fake store."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

import vmk_mcp.listings.live
from tests.fake_listing_store import FakeListingStore
from tests.fake_services import TODAY, FakeStanding, make_rules, make_service
from tests.fakes import FakeEmbedder
from tests.listing_rows import ROWS, Row, make_row
from vmk_mcp.errors import EmbeddingUnavailable, InvalidArguments, NotFound, NotOffered, StoreUnavailable
from vmk_mcp.listings.arguments import HybridSearch, MetadataSearch, Pagination, SimilarSearch
from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.money import ExchangeRates
from vmk_mcp.listings.results import SearchResult
from vmk_mcp.listings.service import ListingService

BOUND = 20
RATES = ExchangeRates(date(2026, 1, 1), {"UAH": Decimal(40), "EUR": Decimal("0.8")})


@pytest.fixture
def store() -> FakeListingStore:
    return FakeListingStore(ROWS)


@pytest.fixture
def crowd(monkeypatch: pytest.MonkeyPatch) -> FakeListingStore:
    """450 listings, of which an exact scan may look at 20, or at 40 when it was thought to be fewer."""
    monkeypatch.setattr(vmk_mcp.listings.live, "_EXACT_BOUND_INLINE", BOUND)
    rng = np.random.default_rng(1)
    rows = []
    for number in range(1, 451):
        city = "Київ" if number <= 10 else "Львів" if number <= 40 else "Одеса"
        row = make_row(1, "квартира", is_embedded=False, city=city)
        vector = rng.standard_normal(768).astype(np.float32)
        rows.append(Row(replace(row.record, id=number), vector / np.linalg.norm(vector)))
    return FakeListingStore(rows)


async def find(
    service: ListingService, city: str | None = None, *, limit: int = 20, offset: int = 0, **given: object
) -> SearchResult:
    """Search by meaning without a threshold."""
    asked = {"query": "квартира", "min_similarity": 0.0, "interpret": False} | given
    search = SimilarSearch(
        **asked,  # type: ignore[arg-type]  # a test's own arguments
        filters=Filters(city=[city] if city else None),
        pagination=Pagination(limit=limit, offset=offset),
    )
    return await service.search_similar_listings(search, contacts=False)


ROUTES = {
    # city, what the planner says, what the index brings: the way, total, relation, and the calls.
    "few rows pass": ("Київ", 10, None, "exact", 10, "eq", "E"),
    "many rows pass": (None, 450, None, "approximate", 200, "gte", "A"),
    "thought to be few, but many": (None, 3, None, "approximate", 200, "gte", "EA"),
    "thought to be few, and within twice the bound": ("Львів", 15, None, "exact", 30, "eq", "E"),
    "thought to be many, but few": ("Львів", 300, None, "exact", 30, "eq", "AE"),
    "many, but the index brings too few": (None, 450, 50, "exact", 450, "eq", "AE"),
    "wrongly thought few, and the index brings too few": (None, 3, 50, "exact", 450, "eq", "EAE"),
}


@pytest.mark.parametrize("case", ROUTES)
async def test_each_search_by_meaning_takes_the_way_that_finds_all(
    crowd: FakeListingStore, case: str
) -> None:
    city, crowd.estimate, crowd.index_finds, way, total, relation, ways = ROUTES[case]
    result = await find(make_service(crowd), city)
    assert (result.search_path, result.total, result.total_relation) == (way, total, relation)
    names = {"E": "find_similar_exact", "A": "find_similar_approximate"}
    assert [call for call in crowd.calls if call.startswith("find")] == [names[letter] for letter in ways]


async def test_a_table_within_the_bound_is_not_estimated(store: FakeListingStore) -> None:
    assert (await find(make_service(store))).search_path == "exact"
    assert "estimate_matching" not in store.calls


@pytest.mark.parametrize(("limit", "pages"), [(8, 25), (100, 2), (50, 4), (1, 200)])
async def test_pages_of_the_index_are_one_list_of_the_nearest(
    crowd: FakeListingStore, limit: int, pages: int
) -> None:
    service = make_service(crowd)
    walked, offset = [], 0
    for _ in range(pages):
        result = await find(service, limit=limit, offset=offset)
        assert (result.total, len(result.listings)) == (200, limit)
        walked += [listing.id for listing in result.listings]
        offset = result.next_offset if isinstance(result.next_offset, int) else -1
    assert (result.has_more, offset) == (False, -1)
    assert len(set(walked)) == 200


async def test_a_walk_that_cannot_go_on_in_its_step_says_how_to_see_the_rest(crowd: FakeListingStore) -> None:
    service = make_service(crowd)
    result = await find(service, limit=60, offset=120)
    assert (result.has_more, result.next_offset) == (False, UNSET)
    assert any("pagination.limit 20 at offset 180" in hint for hint in result.hints or [])
    assert len((await find(service, limit=20, offset=180)).listings) == 20


@pytest.mark.parametrize(("limit", "offset"), [(20, 181), (1, 200), (100, 2_000_000_000)])
async def test_pages_beyond_the_candidates_are_refused(
    crowd: FakeListingStore, limit: int, offset: int
) -> None:
    with pytest.raises(InvalidArguments) as refused:
        await find(make_service(crowd), limit=limit, offset=offset)
    assert refused.value.field == "pagination.offset"
    assert "200" in refused.value.message


async def test_deep_pages_follow_where_the_first_page_was_exact(crowd: FakeListingStore) -> None:
    crowd.estimate = 300
    service = make_service(crowd)
    first = await find(service, "Львів", limit=20)
    assert (first.search_path, first.next_offset) == ("exact", 20)
    beyond = await find(service, "Львів", limit=100, offset=190)
    assert (beyond.search_path, beyond.total, beyond.listings, beyond.has_more) == ("exact", 30, [], False)


async def test_other_metrics_rank_500_candidates(crowd: FakeListingStore) -> None:
    result = await find(make_service(crowd), distance_metric="l2", limit=100, offset=300)
    assert len(result.listings) == 100
    assert result.listings[0].distance is not None


async def test_rows_below_the_threshold_are_counted_in_a_hint(store: FakeListingStore) -> None:
    result = await find(make_service(store), min_similarity=0.99, query="щось геть інше")
    assert (result.total, result.listings) == (0, [])
    assert result.hints == ["9 more listings pass the filters but lie below min_similarity 0.99"]
    nothing_below = await find(make_service(store), min_similarity=0.0)
    assert nothing_below.hints is UNSET


async def test_the_query_is_embedded_as_it_is_normalised(store: FakeListingStore) -> None:
    embedder = FakeEmbedder()
    await find(make_service(store, embedder=embedder), query="2к біля  м'яса\0")
    assert embedder.requests == [("query", ("двокімнатна біля мʼяса",))]


async def test_what_a_query_rules_out_is_not_embedded(store: FakeListingStore) -> None:
    embedder = FakeEmbedder()
    service = make_service(store, embedder=embedder)
    await find(service, query="квартира не студія, сад", interpret=True)
    embedder.failure = EmbeddingUnavailable("down")
    await service.hybrid_search(HybridSearch(query="квартира не студія, сад"), contacts=False)
    assert embedder.requests == [("query", ("квартира, сад",))] * 2


async def test_an_embedder_that_is_down_is_an_error_of_its_own(store: FakeListingStore) -> None:
    embedder = FakeEmbedder()
    embedder.failure = EmbeddingUnavailable("down")
    with pytest.raises(EmbeddingUnavailable):
        await find(make_service(store, embedder=embedder))


async def test_a_query_of_nothing_that_can_be_read_is_refused(store: FakeListingStore) -> None:
    with pytest.raises(InvalidArguments):
        await find(make_service(store), query="\u200b \0")


async def metadata(service: ListingService, *, contacts: bool = False, **given: object) -> SearchResult:
    search = MetadataSearch(**({"interpret": False} | given))  # type: ignore[arg-type]  # a test's own arguments
    return await service.search_by_metadata(search, contacts=contacts)


async def test_words_come_first_and_a_part_of_a_word_after_them(store: FakeListingStore) -> None:
    service = make_service(store)
    by_words = await metadata(service, query="гараж")
    assert (by_words.match, by_words.total, by_words.text_search) == ("words", 1, "simple")
    assert "find_by_substring" not in store.calls
    by_part = await metadata(service, query="новобудов")
    assert (by_part.match, by_part.total) == ("substring", 1)
    nothing = await metadata(service, query="вертоліт")
    assert (nothing.match, nothing.total, nothing.total_relation) == ("substring", 0, "eq")
    assert nothing.hints == ["no listing holds these words; try fewer, or hybrid_search"]


@pytest.mark.parametrize("query", [None, "", "  \n", "\0", "\u200b"])
async def test_no_query_means_filters_alone(store: FakeListingStore, query: str | None) -> None:
    result = await metadata(make_service(store), query=query)
    assert (result.match, result.text_search) == ("filters", UNSET)


async def test_a_page_tells_where_the_next_one_begins(store: FakeListingStore) -> None:
    service = make_service(store)
    first = await metadata(service, pagination=Pagination(limit=4))
    assert (first.limit, first.offset, first.total, first.has_more, first.next_offset) == (4, 0, 10, True, 4)
    last = await metadata(service, pagination=Pagination(limit=4, offset=8))
    assert (len(last.listings), last.has_more, last.next_offset) == (2, False, UNSET)
    beyond = await metadata(service, pagination=Pagination(limit=4, offset=50))
    assert (beyond.listings, beyond.total, beyond.has_more) == ([], 10, False)


@pytest.mark.parametrize(("most", "usual"), [(100, 20), (20, 20), (7, 7)])
async def test_the_operators_limit_bounds_a_page_and_its_usual_size(
    store: FakeListingStore, most: int, usual: int
) -> None:
    service = make_service(store, rules=make_rules(max_limit=most))
    assert (await metadata(service)).limit == usual
    if most < 100:
        with pytest.raises(InvalidArguments) as refused:
            await metadata(service, pagination=Pagination(limit=most + 1))
        assert refused.value.field == "pagination.limit"
        assert f"the most is {most}" in refused.value.message


async def test_contacts_are_null_without_the_right(store: FakeListingStore) -> None:
    service = make_service(store)
    for may, phone in ((True, "+380000000001"), (False, None)):
        result = await metadata(service, contacts=may, query="метро")
        assert [listing.contact_phone for listing in result.listings] == [phone]
        card = await service.get_listing_by_id(1, contacts=may)
        assert (card.contact_phone, card.contact_name) == (phone, "Олена" if may else None)


async def test_an_unknown_id_is_not_found(store: FakeListingStore) -> None:
    with pytest.raises(NotFound) as missing:
        await make_service(store).get_listing_by_id(404, contacts=True)
    assert missing.value.field == "listing_id"
    assert (await make_service(store).get_listing_by_id(7, contacts=True)).listing_status == "sold"


async def test_old_rates_are_told(store: FakeListingStore) -> None:
    priced = Filters(min_price=1)
    for age, told in ((30, False), (31, True)):
        day = date.fromordinal(TODAY.toordinal() - age)
        rules = make_rules(rates=ExchangeRates(day, RATES.per_usd))
        result = await metadata(make_service(store, rules=rules), filters=priced)
        assert any("31 days old" in hint for hint in result.hints or []) is told
        without = await metadata(make_service(store, rules=rules))
        assert (without.hints, without.price_basis) == (UNSET, UNSET)


@pytest.mark.parametrize(
    ("rates", "left_out"),
    [(None, 3), (ExchangeRates(TODAY, {"UAH": Decimal(40)}), 1), (RATES, 0)],
)
async def test_listings_in_a_currency_without_a_rate_are_counted(
    store: FakeListingStore, rates: ExchangeRates | None, left_out: int
) -> None:
    result = await metadata(
        make_service(store, rules=make_rules(rates=rates)), filters=Filters(max_price=1e9)
    )
    assert result.price_basis is not UNSET
    assert result.price_basis.left_out == left_out
    named = await metadata(make_service(store), filters=Filters(max_price=1e9, currency="USD"))
    assert named.price_basis is not UNSET
    assert named.price_basis.left_out == 0


@pytest.mark.parametrize("column", ["price", "currency"])
async def test_an_order_that_reads_a_missing_column_is_not_offered(
    store: FakeListingStore, column: str
) -> None:
    store.columns.remove(("property_listings", column))
    with pytest.raises(NotOffered, match=column):
        await metadata(make_service(store), sort_by="price_asc")
    assert (await metadata(make_service(store), sort_by="area_desc")).total == 10


async def test_readiness_tells_of_the_store_the_tables_and_the_embedder(store: FakeListingStore) -> None:
    standing = FakeStanding()
    service = make_service(store, standing=standing)
    assert any("ukrainian" in reason for reason in (await service.readiness()).reasons)
    standing.said = ["the embedder sleeps"]
    ready = await service.readiness()
    assert ready.status == "degraded"
    assert "the embedder sleeps" in ready.reasons
    store.failure = StoreUnavailable("the database is away")
    ready = await service.readiness()
    assert (ready.status, ready.reasons) == ("unavailable", ("the database is away",))
    store.failure = None
    assert (await service.readiness()).status == "degraded"


async def test_tables_are_looked_at_once_while_they_serve(store: FakeListingStore) -> None:
    service = make_service(store)
    for _ in range(3):
        await metadata(service)
    assert store.calls.count("list_columns") == store.calls.count("list_values") == 1


async def test_tables_that_cannot_serve_are_looked_at_again(store: FakeListingStore) -> None:
    service = make_service(store)
    store.columns.remove(("property_listings", "id"))
    assert (await service.readiness()).status == "unavailable"
    store.columns.add(("property_listings", "id"))
    await metadata(service)
    assert store.calls.count("list_columns") == 2


async def test_the_schema_is_described_as_the_server_has_it(store: FakeListingStore) -> None:
    store.columns.remove(("property_listings", "balcony_count"))
    described = await make_service(store).describe_schema()
    listings, kinds = described.tables
    names = {column.name for column in listings.columns}
    assert names.isdisjoint({"embedding", "search_vector", "raw_data_id", "balcony_count"})
    assert {"id", "title", "contact_phone"} <= names
    assert (listings.row_count, listings.missing, kinds.row_count) == (len(ROWS), ["balcony_count"], 2)
    assert listings.indexes == ["CREATE INDEX by_city ON property_listings (city)"]
    assert described.enums["deal_type"] == ["sale", "rent_long", "rent_short"]
    offered = {one.name: (one.operator, one.offered) for one in described.available_filters}
    assert offered["has_balcony"] == ("is", False)
    assert offered["min_price"] == (">=", True)
    assert offered["city"] == ("in", True)
    assert offered["near"] == ("within radius", True)
    assert described.embedding_model == "fake-model (768d)"
    assert set(offered) == set(Filters.__struct_fields__)
