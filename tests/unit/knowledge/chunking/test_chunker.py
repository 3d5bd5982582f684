"""Chunks of any text: nothing lost, nothing too large, nothing torn that must stay whole, headings kept."""

import hashlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vmk_mcp.knowledge.chunking.blocks import read_markdown
from vmk_mcp.knowledge.chunking.chunk import Chunk, join_path
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.chunking.tokens import count_tokens

STRATEGIES = ("fixed_size", "fixed_size_overlap", "semantic")


async def embed_by_letters(texts: Sequence[str]) -> NDArray[np.float32]:
    """Give the same vector for the same text, and no two for different ones that are alike."""
    rows = [np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint8) for text in texts]
    vectors = np.array(rows, dtype=np.float32) - 127.0
    unit: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def chunker(strategy: str = "fixed_size_overlap", size: int = 40, overlap: int = 8, **more: bool) -> Chunker:
    return Chunker(ChunkRules(strategy=strategy, size=size, overlap=overlap, **more), embed_by_letters)


# Made of what means something to Markdown, for most random text means nothing to it.
LINES = st.sampled_from(
    [
        "# Заголовок", "## Глава ##", "Title\n=====", "Sub\n---", "```python", "```", "~~~~", "  ```",
        "> ```",
        "| a | b |", "|---|:-:|", "| 1 | 2 |", "- item", "  1. пункт", "    code", "---", "key: value", "",
        "Слова, речення. Ще одне речення! І третє?", "One line of plain words in English.", "x" * 90,
        "a\tb  c", "«цитата»…", "\u3000全角の文字です。", "👩‍👩‍👧 é́́",
    ]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
DOCUMENTS = st.lists(st.tuples(LINES, ENDS), max_size=40).map(lambda parts: "".join(map("".join, parts)))
READINGS = st.tuples(st.booleans(), st.booleans())
TEXTS = st.one_of(DOCUMENTS, st.text(max_size=400), st.text(alphabet="#`~|->=: \t\r\nаb.", max_size=200))


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=120, deadline=None)
@given(text=TEXTS, sizes=st.tuples(st.integers(16, 80), st.integers(0, 79)), reading=READINGS)
@example("", (16, 0), (True, True))
@example("# " + "дуже довгий заголовок " * 40 + "\n\nтекст", (16, 15), (True, True))
async def test_any_text_is_cut_without_loss_and_within_the_limit(
    strategy: str, text: str, sizes: tuple[int, int], reading: tuple[bool, bool]
) -> None:
    (size, overlap), (is_markdown, by_headings) = sizes, reading
    cutter = chunker(strategy, size, overlap, by_headings=by_headings)
    chunks = await cutter.cut(text, is_markdown=is_markdown)
    assert "".join(text[chunk.own_start : chunk.end] for chunk in chunks) == text
    for chunk in chunks:
        assert chunk.start <= chunk.own_start < chunk.end
        embedded = f"{join_path(chunk.heading_path)}\n{text[chunk.start : chunk.end]}"
        assert count_tokens(embedded) <= size
        assert chunk.end - chunk.start <= size * 6
    if strategy != "fixed_size_overlap":
        assert all(chunk.start == chunk.own_start for chunk in chunks)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=80, deadline=None)
@given(text=DOCUMENTS)
async def test_what_must_stay_whole_is_torn_only_where_it_is_larger_than_a_chunk(
    strategy: str, text: str
) -> None:
    chunks = await chunker(strategy, 48, 10).cut(text, is_markdown=True)
    for section in read_markdown(text, by_headings=True):
        for block in section.blocks:
            if (
                block.is_whole
                and count_tokens(text[block.start : block.end]) <= 48
                and fits(block.end - block.start)
            ):
                assert holding(chunks, block.start, block.end) == 1


def fits(characters: int) -> bool:
    return characters <= 48 * 6


def holding(chunks: Sequence[Chunk], start: int, end: int) -> int:
    """Count the chunks that hold any of that stretch."""
    return sum(chunk.start < end and chunk.end > start for chunk in chunks)


@settings(max_examples=200, deadline=None)
@given(first=st.text(max_size=60), second=st.text(max_size=60))
def test_a_text_never_counts_more_than_its_parts(first: str, second: str) -> None:
    assert count_tokens(first + second) <= count_tokens(first) + count_tokens(second)


async def test_headings_are_a_path_and_stay_with_their_text() -> None:
    text = (
        "# Оренда\n\n## Договір\n\nПідпишіть договір.\n\n### Застава\n\nПоверніть ключі.\n\n"
        "## Кінець\n\nВсе.\n"
    )
    chunks = await chunker().cut(text, is_markdown=True)
    assert [(chunk.heading_path, text[chunk.own_start : chunk.end]) for chunk in chunks] == [
        (("Оренда", "Договір"), "# Оренда\n\n## Договір\n\nПідпишіть договір.\n\n"),
        (("Оренда", "Договір", "Застава"), "### Застава\n\nПоверніть ключі.\n\n"),
        (("Оренда", "Кінець"), "## Кінець\n\nВсе.\n"),
    ]


async def test_without_headings_in_force_a_chunk_goes_over_them() -> None:
    text = "# One\n\nfirst\n\n# Two\n\nsecond\n"
    (chunk,) = await chunker(by_headings=False).cut(text, is_markdown=True)
    assert (chunk.start, chunk.end, chunk.heading_path) == (0, len(text), ())


async def test_an_unclosed_fence_ends_the_file_and_its_signs_are_no_headings() -> None:
    text = "# Top\n\nwords\n\n```sh\n# a comment, no heading\n\n## nor this\n"
    chunks = await chunker().cut(text, is_markdown=True)
    assert {chunk.heading_path for chunk in chunks} == {("Top",)}
    assert text[chunks[-1].own_start : chunks[-1].end].endswith("## nor this\n")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("```\n# code\n~~~\n````\n# after\n", [(), ("after",)]),
        ("````\n```\n# code\n````\n# after\n", [(), ("after",)]),
        ("1. step\n    ```\n    # code\n    ```\n\n# after\n", [(), ("after",)]),
        ("    ```\n# heading all the same\n", [(), ("heading all the same",)]),
        ("> ```\n> # code\n> ```\n\n# after\n", [(), ("after",)]),
        ("---\ntitle: no heading\n---\n\n# after\n", [("after",)]),
        ("words\n\n---\n\nmore words\n", [()]),
        ("- item\n---\nwords\n", [()]),
        ("Two\nlines\n=====\nwords\n", [("Two lines",)]),
        ("#no heading\n", [()]),
        ("# closed ##\nwords\n", [("closed",)]),
        ("# C#\nwords\n", [("C#",)]),
        ("####### seven\n", [()]),
    ],
)
def test_markdown_is_read_as_it_is_meant(text: str, paths: list[tuple[str, ...]]) -> None:
    found = [section.heading_path for section in read_markdown(text, by_headings=True)]
    assert found[-len(paths) :] == paths or found == paths


async def test_one_changed_paragraph_of_many_changes_few_chunks() -> None:
    paragraphs = [f"Абзац {n} каже про квартиру номер {n * 7919 % 1000} своє." for n in range(300)]
    before = "\n\n".join(paragraphs)
    paragraphs[150] = "Тут усе інакше, довше і зовсім про щось інше, ніж було раніше в цьому місці."
    after = "\n\n".join(paragraphs)
    for strategy in ("fixed_size", "fixed_size_overlap"):
        old, new = [await texts_of(strategy, text) for text in (before, after)]
        assert len(new) > 50
        assert 1 <= len(new - old) <= 6


async def texts_of(strategy: str, text: str) -> set[str]:
    chunks = await chunker(strategy, 60, 10).cut(text, is_markdown=True)
    return {text[chunk.start : chunk.end] for chunk in chunks}


async def test_the_overlap_is_the_words_before_it() -> None:
    words = " ".join(f"word{n}" for n in range(200))
    chunks = await chunker(size=40, overlap=9).cut(words, is_markdown=False)
    for before, chunk in pairwise(chunks):
        assert before.start < chunk.start < chunk.own_start == before.end
        assert 1 <= count_tokens(words[chunk.start : chunk.own_start]) <= 9


async def test_semantic_cuts_where_neighbours_are_least_alike() -> None:
    async def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[1, 0] if "кіт" in text else [0, 1] for text in texts], dtype=np.float32)

    text = "Це кіт один. Там кіт другий. Ось кіт третій. Мотор стукає. Колесо скрипить. Гальмо дзвенить."
    cutter = Chunker(ChunkRules(strategy="semantic", size=26, overlap=0), embed)
    chunks = await cutter.cut(text, is_markdown=True)
    assert text[chunks[0].start : chunks[0].end].rstrip().endswith("третій.")


@pytest.mark.parametrize(
    "text",
    ["#" * 300_000, "`" * 300_000, " " * 300_000 + "x", "- " * 150_000, "|" * 300_000, "." * 300_000,
     "a" * 300_000, ("> " * 50_000 + "\n") * 3, "# " + " #" * 150_000, "-" * 300_000, "\n" * 300_000,
     "| - " * 80_000 + "\n" + "| - " * 80_000],
    ids=range(12),
)  # fmt: skip
async def test_an_enemys_markdown_is_cut_like_any_other(text: str) -> None:
    chunks = await chunker(size=512, overlap=50).cut(text, is_markdown=True)
    assert "".join(text[chunk.own_start : chunk.end] for chunk in chunks) == text
