"""Ready-made vectors of the sample's documents: `python -m vmk_mcp.sample.document_vectors` makes them again.

They are of the chunks that the settings' defaults make. What is cut otherwise is embedded as any other text.
"""

import asyncio
import io
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np

from vmk_mcp.embedding.known import digest_text
from vmk_mcp.embedding.local import LOCAL_MODEL, MAX_TOKENS, NATIVE_DIMENSIONS, LocalEmbedder
from vmk_mcp.embedding.port import Vectors
from vmk_mcp.knowledge.chunking.chunk import embedded_text
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.chunking.guard import Guard
from vmk_mcp.knowledge.decoding import decode
from vmk_mcp.knowledge.documents import is_markdown
from vmk_mcp.knowledge.drafts import draft_chunks
from vmk_mcp.knowledge.folders import DocumentFolder

DOCUMENTS: Final = Path(__file__).with_name("documents")
RULES: Final = ChunkRules(strategy="fixed_size_overlap", size=500, overlap=50, most_characters=3_900)
"""The defaults, and what of them the local model reads at once."""

_FILE: Final = "documents_vectors.npz"


def load_known_vectors() -> dict[str, Vectors]:
    """Give the vectors by `digest_text`, `(384,) float32, unit rows`; none where they are another model's."""
    content = files("vmk_mcp.sample").joinpath(_FILE).read_bytes()
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        if str(arrays["model"]) != LOCAL_MODEL:
            return {}
        vectors = arrays["vectors"].astype(np.float32)
        # Half precision leaves a length of one only nearly.
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return dict(zip(arrays["digests"].tolist(), vectors, strict=True))


async def list_texts(chunker: Chunker) -> list[str]:
    """Give what is embedded of all the sample's documents, in order, each text once."""
    folder = DocumentFolder(DOCUMENTS, None)
    texts: list[str] = []
    for path in folder.list_documents().paths:
        text = decode(folder.read(path).content).text
        chunks = await chunker.cut(text, is_markdown=is_markdown(path))
        texts += [embedded_text(one.heading_path, one.text) for one in draft_chunks(text, chunks)]
    return list(dict.fromkeys(texts))


async def write_archive(path: Path) -> None:
    """Embed the sample's documents and write vectors, digests and model to `path`; takes half a minute."""
    embedder = LocalEmbedder(NATIVE_DIMENSIONS)
    try:
        guard = Guard(embedder.count_document_tokens, MAX_TOKENS)
        texts = await list_texts(Chunker(RULES, embedder.embed_documents, guard))
        vectors = await embedder.embed_documents(texts)
    finally:
        await embedder.close()
    np.savez(
        path,
        vectors=vectors.astype(np.float16),
        digests=np.array([digest_text(text) for text in texts]),
        model=np.array(embedder.model),
    )


if __name__ == "__main__":
    asyncio.run(write_archive(Path(__file__).with_name(_FILE)))
