"""Search by words over the sample and a few listings by hand: forms, apostrophes, look-alikes, substrings."""

import asyncio

import msgspec
import pytest
from msgspec import UNSET

from tests.fake_services import make_service
from tests.integration.listings.conftest import OpenStore, load_rows
from tests.integration.servers import copy_database
from tests.listing_rows import KINDS, make_row
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.scripts import Blueprint
from vmk_mcp.listings.arguments import HybridSearch, MetadataSearch, Pagination
from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.results import SearchResult
from vmk_mcp.listings.service import ListingService

APOSTROPHES = "'\u2019\u02bc`"
FORMS_OF_TWO = (
    "двокімнатна", "двохкімнатна", "2-кімнатна", "2-х кімн.", "2к", "2-к", "двушка", "двухкомнатная",
    "2-комнатная", "двокімнатну", "2кк", "2 кімнати",
)  # fmt: skip
LONG = "довго " * 250_000
"""Longer than a search vector may be."""

ROWS = (
    make_row(1, "Затишна двокімнатна квартира", district="Солом'янський", description="Площа 65,5 м2."),
    make_row(2, "Здам 2-к квартиру", district="Солом’янський", description="Сім'я, не перший поверх."),
    make_row(3, "Продам двухкомнатную квартиру", district="Соломʼянський", description="Балкон застеклён."),
    make_row(4, "Студія з видом на воду", description="Стиральная машина, 28 кв.м"),
    make_row(5, "Квартира на першому поверсі", description="Знижка 5% для родин_з_дітьми " + LONG),
    make_row(6, "<script>alert(1)</script> Гараж", description=None),
)


@pytest.fixture(scope="session")
def words_database(cluster: EmbeddedServer, listings_template: Blueprint) -> str:
    """A database with these rows, which no test changes."""
    configuration = "ukrainian" if cluster.has_dictionary else "simple"
    asyncio.run(copy_database(cluster, listings_template, "words_of_listings"))
    asyncio.run(load_rows(cluster.dsn(Role.OWNER, "words_of_listings"), ROWS, KINDS, configuration))
    return "words_of_listings"


@pytest.fixture
async def service(cluster: EmbeddedServer, words_database: str, open_store: OpenStore) -> ListingService:
    return make_service(await open_store(cluster.dsn(Role.READER, words_database)))


async def search(service: ListingService, query: str, **filters: object) -> SearchResult:
    """Search for the words alone: what they would mean as filters is tried elsewhere."""
    asked = MetadataSearch(
        query=query,
        filters=Filters(**filters),  # type: ignore[arg-type]  # a test's own filters
        pagination=Pagination(limit=100),
        interpret=False,
    )
    return await service.search_by_metadata(asked, contacts=False)


async def ids(service: ListingService, query: str) -> set[int]:
    return {listing.id for listing in (await search(service, query)).listings}


@pytest.mark.parametrize("form", FORMS_OF_TWO)
async def test_every_way_of_saying_two_rooms_finds_the_same_flats(service: ListingService, form: str) -> None:
    found = await search(service, f"{form} квартира")
    assert ({n.id for n in found.listings}, found.match) == ({1, 2, 3}, "words")


async def test_forms_of_a_word_find_the_same_rows(service: ListingService) -> None:
    for form in ("квартира", "квартиру", "квартири", "квартирою"):
        assert await ids(service, form) == {1, 2, 3, 5}, form


@pytest.mark.parametrize("apostrophe", APOSTROPHES)
async def test_all_apostrophes_find_the_same_rows(service: ListingService, apostrophe: str) -> None:
    assert await ids(service, f"Солом{apostrophe}янський") == {1, 2, 3}
    assert await ids(service, f"сім{apostrophe}я") == {2}
    by_name = await search(service, "квартира", district=[f"Солом{apostrophe}янський"])
    assert {n.id for n in by_name.listings} == {1, 2, 3}


@pytest.mark.parametrize("area", ["65.5 м2", "65,5 м²", "65,5 кв.м", "65,5м2", "65,5 кв. м."])
async def test_every_spelling_of_an_area_finds_the_same_row(service: ListingService, area: str) -> None:
    assert await ids(service, area) == {1}


async def test_latin_look_alikes_in_a_word_are_seen_through(service: ListingService) -> None:
    assert await ids(service, "cтудiя") == {4}


async def test_a_negation_is_a_word_like_others(service: ListingService) -> None:
    assert await ids(service, "не перший поверх") == {2}


async def test_russian_words_find_russian_texts(service: ListingService) -> None:
    assert await ids(service, "стиральная машина") == {4}
    assert await ids(service, "стиральной") == {4}


@pytest.mark.parametrize(
    "query", ["та і", "!!!", "…", "🏠", "а", "\u200b", "&|!():*<->", "'", "\\", "x" * 10_000]
)
async def test_a_query_without_words_is_no_error(service: ListingService, query: str) -> None:
    assert (await search(service, query)).total >= 0


@pytest.mark.parametrize("query", ["кварт\0ира", "кварт\ud800ира", "\ufeffквартира", "квартира " * 1000])
async def test_what_the_server_cannot_hold_is_taken_out(service: ListingService, query: str) -> None:
    assert await ids(service, query) == {1, 2, 3, 5}


async def test_nothing_that_can_be_read_means_filters_alone(service: ListingService) -> None:
    found = await search(service, "\u200b\0")
    assert (found.match, found.total) == ("filters", len(ROWS))


async def test_where_no_row_holds_the_words_a_part_of_a_word_is_looked_for(service: ListingService) -> None:
    found = await search(service, "артира на пер")
    assert ([n.id for n in found.listings], found.match) == ([5], "substring")
    assert found.listings[0].rank_score is None
    for query, expected in (
        ("5% для", {5}),
        ("5_ д", set()),
        ("родин_з", {5}),
        ("%", {5}),
        ("script>al", {6}),
    ):
        assert await ids(service, query) == expected, query


async def test_a_text_of_megabytes_is_indexed_and_found(service: ListingService) -> None:
    assert await ids(service, "знижка для родин") == {5}


async def test_a_word_outside_of_the_title_ranks_below_one_in_it(sample_service: ListingService) -> None:
    found = await search(sample_service, "квартира")
    scores = [n.rank_score for n in found.listings]
    assert found.total > 50
    assert all(isinstance(score, float) and score > 0 for score in scores)
    assert scores == sorted(scores, key=lambda score: -(score if isinstance(score, float) else 0.0))
    assert found.text_search == "ukrainian"


async def test_unknown_words_and_names_are_told_in_hints(sample_service: ListingService) -> None:
    nothing = await search(sample_service, "вертоліт з мармуру")
    assert (nothing.total, nothing.has_more) == (0, False)
    assert any("no listing holds these words" in hint for hint in nothing.hints or [])
    unknown = await search(sample_service, "квартира", city=["Львиів"])
    assert unknown.total == 0
    assert any("'Львиів'" in hint and "Львів" in hint for hint in unknown.hints or [])


@pytest.mark.parametrize("query", ["квартира", "двокімнатна квартира біля метро", "дом с участком"])
async def test_twenty_brief_listings_stay_short(sample_service: ListingService, query: str) -> None:
    by_words = MetadataSearch(query=query, interpret=False, detail="brief")
    found = await sample_service.search_by_metadata(by_words, contacts=False)
    assert any("**" in str(listing.snippet) for listing in found.listings)
    fused = await sample_service.hybrid_search(
        HybridSearch(query=query, interpret=False, detail="brief"), contacts=False
    )
    assert len(fused.listings) == 20
    for answer in (found, fused):
        # In characters: a Cyrillic letter takes two bytes.
        assert len(msgspec.json.encode(answer).decode()) < 8 * 1024


async def test_a_brief_hit_of_both_branches_has_one_score_and_its_ranks(
    sample_service: ListingService,
) -> None:
    asked = HybridSearch(query="квартира", interpret=False, detail="brief")
    for hit in (await sample_service.hybrid_search(asked, contacts=False)).listings:
        assert hit.similarity_score is UNSET
        assert hit.rank_score is UNSET
        assert hit.fusion_score is not UNSET
        assert isinstance(hit.meaning_rank, int) or isinstance(hit.words_rank, int)
