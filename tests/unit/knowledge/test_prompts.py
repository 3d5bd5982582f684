"""The prompt of the knowledge family, and the documents that complete it."""

from pathlib import Path
from typing import Any, Final, cast

import pytest

from tests.fake_knowledge_store import FakeKnowledgeStore, FakeVectorStore
from tests.knowledge_world import World
from vmk_mcp.knowledge.tools import offer_knowledge
from vmk_mcp.tool import CallContext, Caller

CONTEXT: Final = CallContext(Caller(name="test", rights=frozenset({"knowledge"})))


def world_of(folder: Path) -> World:
    store = FakeKnowledgeStore()
    return World(folder / "documents", store, FakeVectorStore(store), {})


@pytest.mark.parametrize(
    ("text", "completed"),
    [
        ("", ["guides/Rent.md", "guides/buy.md", "rules.md"]),
        ("r", ["guides/Rent.md", "rules.md"]),
        (" GUIDES/", ["guides/Rent.md", "guides/buy.md"]),
        ("ides", []),
        ("binary", []),
        ("secret", []),
    ],
)
async def test_shared_documents_complete_by_path_and_by_name(
    tmp_path: Path, text: str, completed: list[str]
) -> None:
    world = world_of(tmp_path)
    for path in ("guides/Rent.md", "guides/buy.md", "rules.md", "users/7/secret.md"):
        world.write(path, "слова")
    world.write("binary.md", b"\0\0")
    await world.index().reconcile()
    (documents,) = offer_knowledge(world.service()).completers
    assert await documents.complete(text, CONTEXT) == completed


async def test_no_document_completes_before_there_is_an_index(tmp_path: Path) -> None:
    (documents,) = offer_knowledge(world_of(tmp_path).service()).completers
    assert await documents.complete("", CONTEXT) == []


def test_the_prompt_asks_for_the_places_and_keeps_to_one_document_where_it_is_named() -> None:
    (prompt,) = offer_knowledge(cast(Any, None)).prompts
    text = prompt.render({"question": "Хто повертає заставу?"})
    assert isinstance(text, str)
    assert "Хто повертає заставу?" in text
    assert "vector_search" in text
    assert "file_path and lines" in text
    assert "alone" not in text
    assert "whose file_path is renting/lease.md alone" in str(
        prompt.render({"question": "Хто?", "document": "renting/lease.md"})
    )
