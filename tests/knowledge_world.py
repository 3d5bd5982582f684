"""A folder of documents and an index over it, for checks that any store is held to."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

from msgspec import UNSET, Struct

from tests.fakes import FakeEmbedder
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.index import IndexFrame, KnowledgeIndex
from vmk_mcp.knowledge.indexing import Workshop
from vmk_mcp.knowledge.model import SearchResult, VectorSearch
from vmk_mcp.knowledge.ports import KnowledgeStore, VectorStore
from vmk_mcp.knowledge.records import IndexPlan
from vmk_mcp.knowledge.service import KnowledgeService
from vmk_mcp.tool import Caller

DIMENSIONS: Final = 64
PLAN: Final = IndexPlan(
    provider="fake",
    model="fake-model",
    dimensions=DIMENSIONS,
    chunker=ChunkRules(strategy="fixed_size_overlap", size=64, overlap=8).name,
    chunk_size=64,
    chunk_overlap=8,
    store="pgvector",
)
EVERYBODY: Final = Caller(name="all", rights=frozenset({"knowledge", "knowledge.index"}), user_ids="all")


class Unwell:
    """See `Standing`: all is well."""

    def reasons(self) -> Sequence[str]:
        """See `Standing.reasons`."""
        return ()


class World(Struct, frozen=True):
    """A folder of documents, an index over it, and the embedders by model."""

    root: Path
    store: KnowledgeStore
    vectors: VectorStore
    embedders: dict[str, FakeEmbedder]

    def index(self, plan: IndexPlan = PLAN) -> KnowledgeIndex:
        """Give the index as a process that wants `plan` has it."""
        return KnowledgeIndex(self.store, self.vectors, IndexFrame(self.root, plan, self._workshop, _go_on))

    def service(self, index: KnowledgeIndex | None = None) -> KnowledgeService:
        """Give the service over the index."""
        return KnowledgeService(index or self.index(), self.store, self.vectors, Unwell(), top_k=5)

    def write(self, path: str, content: str | bytes) -> None:
        """Put a file there."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def embedder(self, model: str = PLAN.model) -> FakeEmbedder:
        """Give the embedder of a model."""
        return self.embedders.setdefault(model, FakeEmbedder(model, DIMENSIONS))

    def embedded(self, model: str = PLAN.model) -> list[str]:
        """Give the texts that were embedded as documents, and forget them."""
        texts = [one for kind, part in self.embedder(model).requests for one in part if kind == "document"]
        self.embedder(model).requests.clear()
        return texts

    def _workshop(self, plan: IndexPlan) -> Workshop:
        embedder = self.embedder(plan.model)
        rules = ChunkRules.of_name(
            plan.chunker, size=plan.chunk_size, overlap=plan.chunk_overlap, most_characters=7_000
        )
        return Workshop(Chunker(rules, embedder.embed_documents), embedder)

    async def search(self, query: str, user_id: int | None = None, top_k: int = 5) -> SearchResult:
        """Search as a client does."""
        search = VectorSearch(query=query, top_k=top_k, user_id=UNSET if user_id is None else user_id)
        return await self.service().vector_search(search, EVERYBODY)

    async def snapshot(self) -> list[tuple[object, ...]]:
        """Give all that the active generation holds, as far as one made from scratch holds the same."""
        active = await self.index().find_active()
        assert active is not None
        rows: list[tuple[object, ...]] = []
        ids = await self.store.list_chunk_ids(active.id)
        for owner in [None, *await self.store.list_owners(active.id)]:
            rows += [
                (owner, file.path, file.content_hash, file.reason, file.chunks)
                for file in await self.store.list_files(active.id, owner)
            ]
            rows += [
                (owner, one.file_path, one.start_line, one.end_line, one.text, *one.heading_path)
                for one in await self.store.read_chunks(active.id, owner, ids.tolist())
            ]
        assert len(ids) == len((await self.store.read_vectors(active.id, ids)).ids)
        return sorted(rows, key=repr)


async def _go_on(_: float) -> None:
    await asyncio.sleep(0)


async def until_asked(embedder: FakeEmbedder) -> None:
    while not embedder.requests:  # noqa: ASYNC110 (the fake tells nobody, and it is a moment)
        await asyncio.sleep(0.001)


Check = Callable[[World], Awaitable[None]]


def checks_of(namespace: Mapping[str, object]) -> dict[str, Check]:
    """Give each check of a module by its sentence."""
    return {
        name.removeprefix("_"): cast(Check, check)
        for name, check in namespace.items()
        if name.startswith("_") and asyncio.iscoroutinefunction(check)
    }
