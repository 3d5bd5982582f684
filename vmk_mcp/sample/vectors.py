"""Ready-made vectors of the made-up listings: `python -m vmk_mcp.sample.vectors` makes their file again."""

import asyncio
import hashlib
import io
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from vmk_mcp.embedding.local import NATIVE_DIMENSIONS, LocalEmbedder
from vmk_mcp.embedding.port import Embedder, Vectors
from vmk_mcp.listings.document import embedding_text
from vmk_mcp.sample.listings import PROPERTY_TYPES, make_listings

DIMENSIONS: Final = 768
"""Of the column; the model's own come first, then zeros, which change no cosine."""

_FILE: Final = "listings_vectors.npz"
_AT_ONCE: Final = 16


class Archive:
    """The file of vectors as it was read.

    Attributes:
        vectors: `(n, 384) float16`, in the order of the listings.
        model: name of the model that made them.
        digest: `digest_texts` of the texts they were made of.
    """

    def __init__(self, content: bytes) -> None:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            self.vectors: npt.NDArray[np.float16] = arrays["vectors"]
            self.model = str(arrays["model"])
            self.digest = str(arrays["digest"])


def read_archive() -> Archive:
    """Read the file that comes with the package."""
    return Archive(files("vmk_mcp.sample").joinpath(_FILE).read_bytes())


def draw_vectors() -> Iterator[Vectors]:
    """Give the vectors of `draw_listings()`, in its order, `(768,) float32` of unit length: all are 10 MB."""
    for half in read_archive().vectors:
        vector = np.zeros(DIMENSIONS, np.float32)
        vector[: len(half)] = half
        # Half precision leaves a length of one only nearly.
        vector /= np.linalg.norm(vector)
        yield vector


def sample_texts() -> list[str]:
    """Give the texts that stand for `make_listings()`, in its order."""
    names = {row.id: row.name for row in PROPERTY_TYPES}
    return [embedding_text(listing, names.get(listing.property_type_id or 0)) for listing in make_listings()]


def digest_texts(texts: Sequence[str]) -> str:
    """Give the SHA-256 of the texts, which tells whether vectors are theirs."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


async def embed_texts(embedder: Embedder, texts: Sequence[str]) -> npt.NDArray[np.float16]:
    """Give `(n, 384) float16`; progress goes to stderr, for it takes minutes."""
    # Only the one who makes the file again has use for a progress bar.
    from rich.console import Console  # noqa: PLC0415 - as said
    from rich.progress import track  # noqa: PLC0415 - as said

    batches = [texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE)]
    steps = track(batches, "Embedding the sample's listings", console=Console(stderr=True))
    rows = [await embedder.embed_documents(batch) for batch in steps]
    return np.concatenate(rows)[:, :NATIVE_DIMENSIONS].astype(np.float16)


async def write_archive(path: Path) -> None:
    """Embed the sample's texts and write vectors, model and digest to `path`."""
    texts, embedder = sample_texts(), LocalEmbedder(DIMENSIONS)
    try:
        vectors = await embed_texts(embedder, texts)
    finally:
        await embedder.close()
    np.savez(path, vectors=vectors, model=np.array(embedder.model), digest=np.array(digest_texts(texts)))


if __name__ == "__main__":
    asyncio.run(write_archive(Path(__file__).with_name(_FILE)))
