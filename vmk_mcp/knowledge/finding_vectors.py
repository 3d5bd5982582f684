"""The vectors of a file's chunks: those that are known already, and the others by the embedder."""

from collections.abc import Sequence
from typing import Final

from vmk_mcp.knowledge.chunking.chunk import embedded_text
from vmk_mcp.knowledge.headway import TellShare
from vmk_mcp.knowledge.ports import DocumentEmbedder, KnowledgeStore
from vmk_mcp.knowledge.records import ChunkDraft, Vectors

_AT_ONCE: Final = 64


class VectorFinder:
    """Gives chunks their vectors; only texts that are new anywhere are embedded.

    Attributes:
        embedded_texts: how many texts the embedder was given so far.
    """

    def __init__(self, store: KnowledgeStore, embedder: DocumentEmbedder, sources: Sequence[int]) -> None:
        """Take vectors over from the generations `sources`, in this order, and have the others embedded."""
        self._store = store
        self._embedder = embedder
        self._sources = sources
        self.embedded_texts = 0

    async def find(self, drafts: Sequence[ChunkDraft], tell: TellShare) -> dict[str, Vectors]:
        """Give every draft's vector by its digest; `tell` is told of a long way before its end alone.

        Raises:
            VmkError: what the store and the embedder raise.
        """
        texts = {one.text_hash: embedded_text(one.heading_path, one.text) for one in drafts}
        vectors: dict[str, Vectors] = {}
        for source in self._sources:
            if missing := [digest for digest in texts if digest not in vectors]:
                vectors |= await self._store.find_texts(source, missing)
        missing = [digest for digest in texts if digest not in vectors]
        for start in range(0, len(missing), _AT_ONCE):
            if start:
                await tell(start / len(missing))
            part = missing[start : start + _AT_ONCE]
            rows = await self._embedder.embed_documents([texts[digest] for digest in part])
            self.embedded_texts += len(part)
            vectors |= zip(part, rows, strict=True)
        return vectors
