"""What the index holds, read out of its database, and what one made from scratch would hold."""

import asyncio
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tests.e2e.knowledge.embedding_server import vector_of
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import find_embedded
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.scripts import STATE
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.embedding.texts import normalise_text
from vmk_mcp.errors import NotOffered
from vmk_mcp.knowledge.chunking.chunk import embedded_text
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.decoding import decode
from vmk_mcp.knowledge.drafts import draft_chunks
from vmk_mcp.knowledge.store import PostgresKnowledgeStore

_RULES: Final = ChunkRules(strategy="fixed_size_overlap", size=500, overlap=50)


class HeldChunk(Struct, frozen=True, order=True):
    """A chunk of a file; the first lines come first."""

    start_line: int
    end_line: int
    heading_path: tuple[str, ...]
    text: str


Contents = dict[str, tuple[str, list[HeldChunk]]]
"""Path -> SHA-256 and chunks."""


class IndexReader:
    """Reads the index of the service that runs on `data_dir`."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    def read(self) -> Contents:
        """Give all shared files with their chunks, of the one generation that is served.

        Raises:
            AssertionError: a vector is not its chunk's own, or a chunk is no file's.
        """
        try:
            return asyncio.run(self._read())
        except NotOffered:
            # The generation was swapped for another while it was read, and its tables are gone.
            return asyncio.run(self._read())

    async def _read(self) -> Contents:
        server = find_embedded(self._data_dir)
        assert server is not None
        database = StateDatabase(server.dsn(Role.WRITER, STATE.database), limits=PoolLimits(1))
        await database.open()
        try:
            store = PostgresKnowledgeStore(database)
            (active,) = [one for one in await store.list_generations() if one.state == "active"]
            contents: Contents = {
                file.path: (file.content_hash, []) for file in await store.list_files(active.id, None)
            }
            ids = await store.list_chunk_ids(active.id)
            vectors = await store.read_vectors(active.id, ids)
            by_id = dict(zip(vectors.ids.tolist(), vectors.vectors, strict=True))
            for chunk in await store.read_chunks(active.id, None, ids.tolist()):
                expected = vector_of(normalise_text(embedded_text(chunk.heading_path, chunk.text)))
                assert np.allclose(by_id[chunk.id], expected, atol=1e-3), chunk.file_path
                held = HeldChunk(chunk.start_line, chunk.end_line, tuple(chunk.heading_path), chunk.text)
                contents[chunk.file_path][1].append(held)
        finally:
            await database.close()
        for _, chunks in contents.values():
            chunks.sort()
        return contents


def make_from_scratch(root: Path) -> Contents:
    """Give what an index of the folder holds that was never anything else."""
    contents = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*.md"))
        if not path.is_symlink()
    }
    return asyncio.run(_make(contents))


async def _make(files: Mapping[str, bytes]) -> Contents:
    async def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError("this way of cutting embeds nothing")

    chunker = Chunker(_RULES, embed)
    contents: Contents = {}
    for path, content in files.items():
        text = decode(content).text
        drafts = draft_chunks(text, await chunker.cut(text, is_markdown=True))
        contents[path] = (
            sha256(content).hexdigest(),
            sorted(
                HeldChunk(one.start_line, one.end_line, tuple(one.heading_path), one.text) for one in drafts
            ),
        )
    return contents
