"""The real local model reads every chunk to its end, whatever the text is made of."""

import random

import pytest

from vmk_mcp.embedding.known import digest_text
from vmk_mcp.embedding.local import MAX_TOKENS, NATIVE_DIMENSIONS, LocalEmbedder
from vmk_mcp.knowledge.chunking.chunk import embedded_text
from vmk_mcp.knowledge.chunking.chunker import Chunker
from vmk_mcp.knowledge.chunking.guard import Guard
from vmk_mcp.sample.document_vectors import RULES, list_texts, load_known_vectors


@pytest.mark.parametrize(
    "letters",
    ["qzxjkvw", "бвгджзклмн оуі", "😀🏽👍 ", "\ufdfa ", "这是测试", "abcdefABCDEF0123456789+/=", "|-# `~\n"],
)
async def test_no_chunk_is_longer_than_the_model_reads(letters: str) -> None:
    chance = random.Random(3)  # noqa: S311 (a seed is what is wanted)
    text = "".join(chance.choice(letters) for _ in range(5000))
    embedder = LocalEmbedder(NATIVE_DIMENSIONS)
    try:
        guard = Guard(embedder.count_document_tokens, MAX_TOKENS)
        chunks = await Chunker(RULES, embedder.embed_documents, guard).cut(text, is_markdown=True)
        texts = [embedded_text(one.heading_path, text[one.start : one.end]) for one in chunks]
        assert max(await embedder.count_document_tokens([one for one in texts if one.strip()])) <= MAX_TOKENS
        assert "".join(text[one.own_start : one.end] for one in chunks) == text
    finally:
        await embedder.close()


async def test_the_vectors_of_all_the_samples_documents_lie_ready() -> None:
    embedder = LocalEmbedder(NATIVE_DIMENSIONS)
    try:
        guard = Guard(embedder.count_document_tokens, MAX_TOKENS)
        texts = await list_texts(Chunker(RULES, embedder.embed_documents, guard))
        known = load_known_vectors()
        missing = [text[:60] for text in texts if digest_text(text) not in known]
        assert not missing, "run `python -m vmk_mcp.sample.document_vectors`"
        (vector,) = await embedder.embed_documents(texts[:1])
        assert float(vector @ known[digest_text(texts[0])]) > 0.999
    finally:
        await embedder.close()
