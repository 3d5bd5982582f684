"""The knowledge index, played in memory over a folder of a few documents that lies beside this file."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from tests.fake_knowledge_store import FakeKnowledgeStore, FakeVectorStore
from tests.fakes import FakeEmbedder, embed_words
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.folders import DocumentFolder, list_users
from vmk_mcp.knowledge.index import IndexFrame, KnowledgeIndex, not_ready
from vmk_mcp.knowledge.indexing import Workshop
from vmk_mcp.knowledge.model import FileOutcome
from vmk_mcp.knowledge.records import ChunkDraft, Generation, IndexPlan, StoredFile
from vmk_mcp.knowledge.service import KnowledgeService
from vmk_mcp.tool import Progress, ignore_progress

FOLDER: Final = Path(__file__).with_name("documents")
MISSING: Final = "lease.md"
"""A document that lies there and is not indexed yet."""

_DIMENSIONS: Final = 32
_RULES: Final = ChunkRules(strategy="fixed_size_overlap", size=512, overlap=50)
_PLAN: Final = IndexPlan(
    provider="ollama",
    model="nomic-embed-text",
    dimensions=_DIMENSIONS,
    chunker=_RULES.name,
    chunk_size=_RULES.size,
    chunk_overlap=_RULES.overlap,
    store="pgvector",
)


UNREADY_USER: Final = 404
"""The user whose files come before there is an index."""


class _PlayedIndex(KnowledgeIndex):
    """See `KnowledgeIndex`; for one user there is none yet."""

    async def index_files(
        self, owner: int | None, paths: Sequence[str], progress: Progress = ignore_progress
    ) -> tuple[Generation, list[FileOutcome]]:
        """See `KnowledgeIndex.index_files`."""
        if owner == UNREADY_USER:
            raise not_ready("25 % of the files")
        return await super().index_files(owner, paths, progress)


class _AllWell:
    """See `Standing`."""

    def reasons(self) -> tuple[str, ...]:
        """See `Standing.reasons`."""
        return ()


def make_knowledge_service() -> KnowledgeService:
    """Make the service, fresh, over an index that holds all documents but one, each as one chunk."""
    store, embedder = FakeKnowledgeStore(), FakeEmbedder(_PLAN.model, _DIMENSIONS)
    _fill(store)
    vectors = FakeVectorStore(store)
    workshop = Workshop(Chunker(_RULES, embedder.embed_documents), embedder)
    frame = IndexFrame(FOLDER, _PLAN, lambda _: workshop, make_name=lambda: "5c1e0b9d7a42")
    return KnowledgeService(_PlayedIndex(store, vectors, frame), store, vectors, _AllWell(), top_k=5)


def _fill(store: FakeKnowledgeStore) -> None:
    generation = Generation(id=1, name="0f3a6c2b9e71", state="active", revision=1, plan=_PLAN)
    store.tables.generations[1] = generation
    for owner in (None, *list_users(FOLDER)):
        folder = DocumentFolder(FOLDER, owner)
        for path in folder.list_documents().paths:
            if path != MISSING:
                _put(store, folder, path)


def _put(store: FakeKnowledgeStore, folder: DocumentFolder, path: str) -> None:
    read = folder.read(path)
    text = read.content.decode().rstrip()
    id_, chunk_id = store.tables.new_id(), store.tables.new_id()
    file = StoredFile(id_, folder.owner, path, read.content_hash, "", 1)
    store.tables.files[id_] = (1, file)
    draft = ChunkDraft(
        ordinal=0,
        text=text,
        text_hash=hashlib.sha256(text.encode()).hexdigest(),
        heading_path=[text.partition("\n")[0].removeprefix("# ")],
        start_line=1,
        end_line=text.count("\n") + 1,
        tokens=1,
    )
    vector = np.asarray(embed_words("document", text, _PLAN.model, _DIMENSIONS))
    store.tables.add_chunk(chunk_id, id_, draft, vector)
