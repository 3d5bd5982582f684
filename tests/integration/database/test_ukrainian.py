"""Words of listings, Ukrainian and Russian, found through the configuration `ukrainian`."""

from collections.abc import AsyncIterator
from importlib import resources
from typing import TypeAlias

import asyncpg
import pytest
import pytest_asyncio

from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer

Reader: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

# One connection for all: the dictionary takes a third of a second to load, and nothing is written.
pytestmark = pytest.mark.asyncio(loop_scope="module")

_APOSTROPHES = ["'", "’", "ʼ", "`"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reader(cluster: EmbeddedServer) -> AsyncIterator[Reader]:
    connection = await asyncpg.connect(cluster.dsn(Role.READER, "vmk_data"))
    yield connection
    await connection.close()


async def finds(reader: Reader, query: str, text: str) -> bool:
    sql = "SELECT to_tsvector('ukrainian', $1) @@ plainto_tsquery('ukrainian', $2)"
    return bool(await reader.fetchval(sql, text, query))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("квартира", "Продаж квартири"),
        ("квартира", "Здам квартиру"),
        ("квартирою", "Квартира біля метро"),
        ("двокімнатна", "в двокімнатній квартирі"),
        ("новобудова", "у новобудові з ремонтом"),
        ("Соломʼянський", "у Соломʼянському районі"),
        ("сімʼя", "для сімʼї з дітьми"),
        ("Івано-Франківськ", "в Івано-Франківськ"),
        ("Франківськ", "в Івано-Франківськ"),
        ("КВАРТИРА", "квартира"),
        ("комната", "Сдаю комнату"),
        ("квартиры", "Продам квартиру"),
        ("квартира", "продажа квартиры"),
        ("flats", "nice flat"),
        ("50", "площа 50 м2"),
    ],
)
async def test_a_word_is_found_in_its_other_forms(query: str, text: str, reader: Reader) -> None:
    assert await finds(reader, query, text)


@pytest.mark.parametrize(
    ("query", "text"), [("будинок", "Продаж квартири"), ("комната", "Сдаю гараж"), ("60", "площа 50 м2")]
)
async def test_another_word_is_not_found(query: str, text: str, reader: Reader) -> None:
    assert not await finds(reader, query, text)


@pytest.mark.parametrize("apostrophe", _APOSTROPHES)
async def test_every_apostrophe_finds_the_word_once_it_is_normalised(apostrophe: str, reader: Reader) -> None:
    written = f"Солом{apostrophe}янська".translate(dict.fromkeys(map(ord, _APOSTROPHES), "ʼ"))
    assert await finds(reader, written, "станція в Соломʼянському районі")


@pytest.mark.parametrize("word", ["не", "без"])
async def test_a_word_that_turns_the_meaning_round_can_be_searched(word: str, reader: Reader) -> None:
    assert await finds(reader, word, f"{word} комісії")
    assert not await finds(reader, word, "комісія")


async def test_stop_words_of_both_languages_ask_for_nothing(
    reader: Reader,
) -> None:
    assert await finds(reader, "квартира у місті та з балконом", "квартира балкон місто")
    assert await finds(reader, "квартира и с балконом", "квартира балкон")
    assert await reader.fetchval("SELECT numnode(plainto_tsquery('ukrainian', 'та і з'))") == 0


async def test_cyrillic_letters_make_trigrams(reader: Reader) -> None:
    assert await reader.fetchval("SELECT cardinality(show_trgm('квартира'))") == 9
    assert await reader.fetchval("SELECT similarity('Соломʼянський', 'соломʼянська')") > 0.5
    assert await reader.fetchval("SELECT lower('ЇЖАК ҐАВА') || upper('ємність')") == "їжак ґаваЄМНІСТЬ"


async def test_every_shared_word_meets_its_ukrainian_form(
    reader: Reader,
) -> None:
    unmet = await reader.fetch(
        """
        SELECT form
        FROM unnest($1::text[], $2::text[]) AS w (form, word)
        WHERE NOT to_tsvector('ukrainian', word) @@ plainto_tsquery('ukrainian', form)
        """,
        *zip(*shared_words(), strict=True),
    )
    assert unmet == []


def shared_words() -> list[tuple[str, str]]:
    text = resources.files("vmk_mcp").joinpath("database", "tsearch", "vmk_shared.syn").read_text("utf-8")
    return [(form, word) for form, word in (line.split() for line in text.splitlines())]
