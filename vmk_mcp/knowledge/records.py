"""What the index keeps of generations, files and chunks."""

from datetime import datetime

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Rows of unit length, `(n, dimensions)`; or one such row, `(dimensions,)`."""

ChunkIds = NDArray[np.int64]


class IndexPlan(Struct, frozen=True, kw_only=True):
    """What all chunks and vectors of a generation are made by; another plan is another generation.

    Attributes:
        provider: what embeds, by its word in the settings.
        chunker: strategy and version of the rules by which documents are cut.
        chunk_size: most tokens of a chunk, by our own counter.
        chunk_overlap: tokens that a chunk shares with the one before.
        store: where vectors are searched, by its word in the settings.
        root: the folder of all documents, by its full path or another word that no other folder has.
    """

    provider: str
    model: str
    dimensions: int
    chunker: str
    chunk_size: int
    chunk_overlap: int
    store: str
    root: str = ""


class Generation(Struct, frozen=True, kw_only=True):
    """One whole index.

    Attributes:
        name: tells it from every other there ever was, in this database or in one that was lost.
        state: `building`, or `active` for the one that is searched.
        revision: grows with every change of its files.
    """

    id: int
    name: str
    state: str
    revision: int
    plan: IndexPlan


class ChunkDraft(Struct, frozen=True, kw_only=True):
    """A chunk that is to be stored.

    Attributes:
        text: a piece of its document, as it stands there.
        text_hash: SHA-256 of what is embedded, hexadecimal: the heading path and the text.
    """

    ordinal: int
    text: str
    text_hash: str
    heading_path: list[str]
    start_line: int
    end_line: int
    tokens: int


class StoredChunk(Struct, frozen=True):
    """A chunk as a search answers with it."""

    id: int
    file_path: str
    heading_path: list[str]
    text: str
    start_line: int
    end_line: int


class StoredFile(Struct, frozen=True):
    """A file as the index knows it.

    Attributes:
        owner: whose folder; None: the shared one.
        content_hash: SHA-256 of its bytes, hexadecimal; empty where it could not be read.
        reason: why it could not be indexed; empty where it was.
    """

    id: int
    owner: int | None
    path: str
    content_hash: str
    reason: str
    chunks: int


class IndexSummary(Struct, frozen=True):
    """Counts of one owner's files in one generation."""

    files: int
    failed: int
    chunks: int
    last_change: datetime | None


class VectorRows(Struct, frozen=True):
    """Chunks' vectors.

    Attributes:
        ids: chunk ids, `(n,) int64`.
        owners: whose each is; None: shared.
        vectors: `(n, dimensions) float32`, unit rows.
    """

    ids: ChunkIds
    owners: list[int | None]
    vectors: Vectors


class NearestQuery(Struct, frozen=True, kw_only=True):
    """What is looked for among one owner's chunks of one generation.

    Attributes:
        owner: whose chunks; None: the shared ones.
        vector: `(dimensions,) float32` of unit length.
    """

    generation: int
    owner: int | None
    vector: Vectors
    limit: int


class NearChunk(Struct, frozen=True):
    """A chunk that a search found, with the cosine of its vector and the query's."""

    id: int
    score: float


class TouchedFile(Struct, frozen=True):
    """A file that was changed in the active index while another one was made."""

    owner: int | None
    path: str


class KnownChunk(Struct, frozen=True):
    """A stored chunk, as far as it tells whether it is still the same."""

    id: int
    text_hash: str


class FileNote(Struct, frozen=True, kw_only=True):
    """A file as it is to be noted; see `StoredFile`."""

    owner: int | None
    path: str
    content_hash: str
    encoding: str = ""
    reason: str = ""


class ChunkChanges(Struct, frozen=True):
    """What becomes of a file's chunks.

    Attributes:
        kept: ids of chunks that are the same, each with where it stands now.
        removed: ids of those that are gone.
        added: new ones.
        vectors: of the new ones, `(len(added), dimensions) float32`.
    """

    kept: list[tuple[int, ChunkDraft]]
    removed: list[int]
    added: list[ChunkDraft]
    vectors: Vectors
