"""The figures of one run as a page to read."""

import os
from collections.abc import Iterable, Sequence
from typing import Final

from tests.bench.knowledge.far_embedder import REQUEST_S, TEXT_S
from tests.bench.knowledge.figures import FarIndexing, Figures

_INTRODUCTION: Final = """\
# How documents are found, and how fast

Written by `pytest -m bench tests/bench/knowledge` on {cores} cores, which other work may have shared. The
embedder is the local one, multilingual-e5-small."""

_RETRIEVAL: Final = """\
recall@5: for that share of the questions one of the five best chunks is of a document that answers.
`documents` is the sample with its [labelled questions](knowledge/questions.toml); `generated` are made-up
files that differ in a street, a number and a deed, so that what is asked for is among many near alikes. Every
text was embedded; the last figure counts no more than the time in which the embedder was at work."""

_FAR: Final = """\
The generated files by an embedder that answers after {request:.0f} ms and {text:.0f} ms more for each text.
Alone it takes them in full requests, one after the other; each file is a transaction beside that."""

_SEARCHES: Final = """\
One search at a time for the ten nearest, in milliseconds, with their share of the ten that are truly nearest.
Vectors lie in clusters. FAISS and Qdrant's folder measure every vector; pgvector asks its HNSW index."""


def write_page(figures: Figures) -> str:
    """Write the page, in Markdown."""
    retrievals = (
        (
            one.folder, f"`{one.chunking}`", f"{one.files:,}", f"{one.chunks:,}", str(one.questions),
            f"{one.found:.3f}", f"{one.chunks / one.elapsed_s:.1f}", f"{one.chunks / one.embedding_s:.1f}",
        )
        for one in figures.retrievals
    )  # fmt: skip
    searches = (
        (one.store, f"{one.chunks:,}", f"{one.p50_ms:.1f}", f"{one.p95_ms:.1f}", f"{one.recall:.3f}")
        for one in figures.searches
    )
    missed = [
        f"- `{one.folder}`, `{one.chunking}`: {ask}" for one in figures.retrievals for ask in one.missed[:10]
    ]
    head = (
        "folder",
        "chunking",
        "files",
        "chunks",
        "questions",
        "recall@5",
        "chunks/s",
        "embedder alone, chunks/s",
    )
    sections = (
        _INTRODUCTION.format(cores=os.cpu_count()),
        "## Retrieval and indexing",
        _RETRIEVAL,
        _table(head, retrievals),
        "Not found among the five best, at most ten of each:",
        "\n".join(missed) or "none",
        "## Indexing by a server",
        _FAR.format(request=1000 * REQUEST_S, text=1000 * TEXT_S),
        _table(("files", "chunks", "requests", "chunks/s", "embedder alone, chunks/s"), [_far(figures.far)]),
        "## Searches",
        _SEARCHES,
        _table(("store", "chunks", "p50", "p95", "recall@10"), searches),
    )
    return "\n\n".join(sections) + "\n"


def _far(far: FarIndexing) -> Sequence[str]:
    speeds = (f"{far.chunks / seconds:.1f}" for seconds in (far.elapsed_s, far.alone_s))
    return (f"{far.files:,}", f"{far.chunks:,}", f"{far.requests:,}", *speeds)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
