"""What every `ListingStore` does, the fake and Postgres alike, over the rows of `tests.listing_rows`."""

from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from tests.fakes import embed_words
from tests.listing_rows import FILTERS, ROWS, passes
from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.ports import ListingStore
from vmk_mcp.listings.queries import (
    FilterQuery,
    IdQuery,
    IdsQuery,
    ListingKey,
    NewestQuery,
    PickQuery,
    SimilarQuery,
    SubstringQuery,
    UnpricedQuery,
    Vector,
    WordQuery,
)

Check = Callable[[ListingStore], Awaitable[None]]

MEANING: Final = "квартира біля метро"


def vector_of(text: str) -> Vector:
    return embed_words("query", text, "fake-model", 768)


def similar(criteria: Criteria | None = None, **given: Any) -> SimilarQuery:
    """Give a search by meaning for `MEANING` that takes all rows, but for what is given."""
    asked: dict[str, Any] = {
        "embedding": vector_of(MEANING), "max_distance": 2.0, "metric": "cosine", "limit": 100, "offset": 0,
        "contacts": True, "full": True, "most": 1000,
    }  # fmt: skip
    return SimilarQuery(**_fields(criteria), **(asked | given))


def sorted_by(order: str, criteria: Criteria | None = None, **given: Any) -> FilterQuery:
    """Give a search by filters, with hryvnias at 40 to the dollar."""
    return FilterQuery(**_fields(criteria), **(_sorting(order) | given))


def words(text: str, **given: Any) -> WordQuery:
    asked = _sorting("relevance") | {"configuration": "simple", "query": text, "raw_query": text}
    return WordQuery(**(asked | given))


def _sorting(order: str) -> dict[str, Any]:
    return {
        "sort_by": order, "rate_currencies": ["USD", "UAH"], "rates": [Decimal(1), Decimal(40)],
        "limit": 100, "offset": 0, "contacts": True, "full": True,
    }  # fmt: skip


def _fields(criteria: Criteria | None) -> dict[str, Any]:
    return {name: getattr(criteria or Criteria(), name) for name in Criteria.__struct_fields__}


def passing(criteria: Criteria, *, embedded: bool = False) -> set[int]:
    """Give the ids that pass by the plain Python of `passes`."""
    return {
        row.record.id
        for row in ROWS
        if passes(criteria, row.record) and (row.embedding is not None or not embedded)
    }


async def check_each_filter_lets_the_same_rows_pass_in_every_search(store: ListingStore) -> None:
    for name, criteria in FILTERS.items():
        expected = passing(criteria)
        matched, found = await store.find_by_filters(sorted_by("relevance", criteria))
        assert ({listing.id for listing in found}, matched.total) == (expected, len(expected)), name
        newest = NewestQuery(**_fields(criteria), limit=100, offset=0, contacts=False, full=True)
        seen, found = await store.find_newest(newest)
        assert ({listing.id for listing in found}, seen.seen) == (expected, len(expected)), name
        for find in (store.find_similar_exact, store.find_similar_approximate):
            measured, found = await find(similar(criteria))
            assert {listing.id for listing in found} == passing(criteria, embedded=True), name
            assert measured.examined == measured.total == len(found), name
        _, found = await store.find_by_words(words("квартира", **_fields(criteria)))
        titled = {row.record.id for row in ROWS if "квартира" in row.record.title.casefold()}
        assert {listing.id for listing in found} == expected & titled, name


async def check_orders_put_unknown_values_last(store: ListingStore) -> None:
    by_id = {row.record.id: row.record for row in ROWS}

    async def order(sort_by: str) -> list[int]:
        _, found = await store.find_by_filters(sorted_by(sort_by))
        assert len(found) == len(ROWS)
        return [listing.id for listing in found]

    cheap, dear = await order("price_asc"), await order("price_desc")
    priced = [12, 9, 10, 11, 2, 7, 3, 1, 5]  # 12 costs 900 hryvnias; 9 has no currency
    priced.remove(9)
    assert cheap[: len(priced)][0] == 12
    assert [n for n in cheap if n in priced and n not in {10, 11}] == [12, 2, 7, 3, 1, 5]
    assert [n for n in dear if n in priced and n not in {10, 11}] == [5, 1, 3, 7, 2, 12]
    assert set(cheap[len(priced) :]) == set(dear[len(priced) :]) == {4, 6, 8, 9}
    large = await order("area_desc")
    known = [n for n in large if by_id[n].total_area is not None]
    assert large[: len(known)] == known
    areas = [by_id[n].total_area or 0 for n in known]
    assert areas == sorted(areas, reverse=True)
    newest = await order("date_desc")
    assert newest[-1] == 12
    dates = [published for n in newest[:-1] if (published := by_id[n].publish_date)]
    assert dates == sorted(dates, reverse=True)
    assert await order("relevance") == newest


async def check_pages_make_the_whole_list(store: ListingStore) -> None:
    for order in ("relevance", "price_asc", "price_desc", "date_desc", "area_desc"):
        whole = [listing.id for listing in (await store.find_by_filters(sorted_by(order)))[1]]
        walked = []
        for offset in range(0, len(ROWS) + 5, 5):
            matched, page = await store.find_by_filters(sorted_by(order, limit=5, offset=offset))
            assert matched.total == len(ROWS)
            walked += [listing.id for listing in page]
        assert walked == whole
    whole = [listing.id for listing in (await store.find_similar_exact(similar()))[1]]
    walked = []
    for offset in range(0, len(ROWS) + 3, 3):
        walked += [n.id for n in (await store.find_similar_exact(similar(limit=3, offset=offset)))[1]]
    assert walked == whole


async def check_meaning_is_nearest_first_by_the_metric(store: ListingStore) -> None:
    for find in (store.find_similar_exact, store.find_similar_approximate):
        _, found = await find(similar())
        scores = [listing.similarity_score for listing in found]
        assert found[0].id == 1
        assert all(isinstance(score, float) and 0 <= score <= 1 for score in scores)
        assert scores == sorted(scores, key=lambda score: -(score or 0))
        assert {listing.distance for listing in found} == {None}
        for metric in ("l2", "inner_product"):
            _, measured = await find(similar(metric=metric))
            # Rows are unit vectors: all three metrics put them in one order.
            assert [listing.id for listing in measured] == [listing.id for listing in found]
            distances = [listing.distance or 0 for listing in measured]
            assert distances == sorted(distances)


async def check_a_threshold_is_the_cosine_whatever_the_metric(store: ListingStore) -> None:
    _, everything = await store.find_similar_exact(similar())
    nearest = [listing for listing in everything if (listing.similarity_score or 0) > 0.6]
    assert 0 < len(nearest) < len(everything)
    for metric in ("cosine", "l2", "inner_product"):
        measured, found = await store.find_similar_exact(similar(max_distance=0.8, metric=metric))
        assert [listing.id for listing in found] == [listing.id for listing in nearest]
        assert (measured.examined, measured.total) == (len(everything), len(nearest))


async def check_no_more_rows_are_examined_than_asked(store: ListingStore) -> None:
    for find in (store.find_similar_exact, store.find_similar_approximate):
        measured, found = await find(similar(most=4))
        assert measured.examined == len(found) == 4
    _, found = await store.find_similar_approximate(similar(most=4))
    _, everything = await store.find_similar_exact(similar())
    assert [listing.id for listing in found] == [listing.id for listing in everything[:4]]


async def check_a_listing_can_be_left_out(store: ListingStore) -> None:
    for find in (store.find_similar_exact, store.find_similar_approximate):
        measured, found = await find(similar(excluded_id=1))
        assert 1 not in {listing.id for listing in found}
        assert measured.examined == len(passing(Criteria(), embedded=True)) - 1


async def check_words_must_all_occur_in_either_form(store: ListingStore) -> None:
    assert (await store.find_by_words(words("квартира моря")))[0].total == 1
    assert (await store.find_by_words(words("квартира вертоліт")))[0].total == 0
    assert (await store.find_by_words(words("", raw_query="!!!")))[0].total == 0
    _, found = await store.find_by_words(words("нічогоневідомо", raw_query="гараж"))
    assert [listing.id for listing in found] == [12]
    assert (found[0].rank_score or 0) > 0


async def check_a_substring_is_found_in_title_description_and_address(store: ListingStore) -> None:
    async def find(pattern: str) -> set[int]:
        _, found = await store.find_by_substring(SubstringQuery(**_sorting("relevance"), pattern=pattern))
        return {listing.id for listing in found}

    assert await find("%НОВОБУДОВ%") == {3}
    assert await find("%видом на парк%") == {1}
    assert await find("%мазепи%") == {1}
    assert await find(r"%100\%%") == {5}
    assert await find(r"%100\_%") == set()
    assert await find("%вертоліт%") == set()


async def check_contacts_are_shown_to_those_who_may(store: ListingStore) -> None:
    for may, phone, name in ((True, "+380000000001", "Олена"), (False, None, None)):
        card = await store.get_listing(IdQuery(1, contacts=may))
        assert card is not None
        assert (card.contact_phone, card.contact_name) == (phone, name)
        (listed,) = await store.list_listings(IdsQuery([1], contacts=may))
        assert listed == card
        _, found = await store.find_by_filters(sorted_by("relevance", contacts=may))
        assert {listing.contact_phone for listing in found if listing.id == 1} == {phone}
        _, found = await store.find_similar_exact(similar(contacts=may))
        assert found[0].contact_phone == phone


async def check_a_listing_is_given_whole_and_by_its_id(store: ListingStore) -> None:
    card = await store.get_listing(IdQuery(1, contacts=True))
    assert card is not None
    record = ROWS[0].record
    for name in set(card.__struct_fields__) & set(record.__struct_fields__):
        assert getattr(card, name) == getattr(record, name), name
    assert (card.property_type, card.price_per_m2) == ("Квартира", 2000.0)
    assert await store.get_listing(IdQuery(404, contacts=True)) is None
    sold = await store.get_listing(IdQuery(7, contacts=True))
    assert sold is not None
    assert sold.listing_status == "sold"
    assert [card.id for card in await store.list_listings(IdsQuery([7, 404, 2], contacts=True))] == [2, 7]


async def check_an_area_of_zero_gives_no_price_per_metre(store: ListingStore) -> None:
    card = await store.get_listing(IdQuery(9, contacts=False))
    assert card is not None
    assert (card.price, card.price_per_m2) == (30_000.0, None)


async def check_brief_listings_hold_the_telling_fields_that_are_known(store: ListingStore) -> None:
    for find in (store.find_similar_exact, store.find_similar_approximate):
        _, found = await find(similar(full=False))
        assert found[0].title == ROWS[0].record.title
        assert {listing.description for listing in found} == {UNSET}
    _, found = await store.find_by_filters(sorted_by("relevance", full=False))
    by_id = {listing.id: listing for listing in found}
    assert by_id[6].price is UNSET
    assert by_id[2].price == 65_000.0


async def check_stored_vectors_come_back(store: ListingStore) -> None:
    first, second = await store.pick_embedded(PickQuery(2))
    assert (first.id, second.id) == (1, 2)
    stored = await store.get_embedding(ListingKey(1))
    assert stored is not None
    assert stored.embedding is not None
    assert abs(float(stored.embedding @ vector_of(ROWS[0].record.title))) > 0.9
    without = await store.get_embedding(ListingKey(10))
    assert without is not None
    assert without.embedding is None
    assert await store.get_embedding(ListingKey(404)) is None


async def check_values_are_counted_most_frequent_first(store: ListingStore) -> None:
    values = await store.list_values()
    cities = [(value.value, value.listings) for value in values if value.field == "city"]
    assert cities[:2] == [("Київ", 4), ("Одеса", 4)]
    assert ("київ", 1) in cities
    assert {value.value for value in values if value.field == "currency"} == {"USD", "UAH", "EUR"}
    assert [kind.slug for kind in await store.list_property_types()] == ["apartment", "house"]
    assert (await store.count_rows()).property_listings == len(ROWS)


async def check_rows_priced_in_other_currencies_are_counted(store: ListingStore) -> None:
    async def count(criteria: Criteria, *priced: str) -> int:
        return await store.count_unpriced(UnpricedQuery(**_fields(criteria), priced_currencies=list(priced)))

    assert await count(Criteria(), "USD") == 4
    assert await count(Criteria(), "USD", "EUR", "UAH") == 0
    assert await count(Criteria(cities=["Львів"]), "USD") == 2


async def check_a_page_beyond_the_end_still_tells_the_total(store: ListingStore) -> None:
    matched, found = await store.find_by_filters(sorted_by("relevance", offset=1000))
    assert (matched.total, found) == (len(ROWS), [])
    measured, found = await store.find_similar_exact(replace(similar(), offset=1000))
    assert (measured.total, found) == (len(passing(Criteria(), embedded=True)), [])


CHECKS: Final[dict[str, Check]] = {
    name.removeprefix("check_"): check
    for name, check in sorted(globals().items())
    if name.startswith("check_")
}
