"""What one run of the knowledge bench measured."""

from msgspec import Struct


class Retrieval(Struct, frozen=True):
    """One way of cutting over one folder.

    Attributes:
        found: share of the questions for which one of the five best chunks is of a document that answers.
        missed: questions for which none was.
        elapsed_s: time of the whole indexing.
        embedding_s: the part of it in which the embedder was at work.
    """

    folder: str
    chunking: str
    files: int
    chunks: int
    questions: int
    found: float
    missed: tuple[str, ...]
    elapsed_s: float
    embedding_s: float


class Searching(Struct, frozen=True):
    """One store of vectors: milliseconds of a search, and its share of the ten that are truly nearest."""

    store: str
    chunks: int
    p50_ms: float
    p95_ms: float
    recall: float


class FarIndexing(Struct, frozen=True):
    """Indexing by an embedder behind a slow line.

    Attributes:
        requests: to the embedder.
        elapsed_s: time of the whole indexing.
        alone_s: time that the embedder would take for these texts in full requests, one after the other.
    """

    files: int
    chunks: int
    requests: int
    elapsed_s: float
    alone_s: float


class Figures(Struct, frozen=True):
    """All of it."""

    retrievals: tuple[Retrieval, ...]
    far: FarIndexing
    searches: tuple[Searching, ...]
