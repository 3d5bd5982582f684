"""The knowledge family: its tables, its store of vectors, its embedders and the service over all of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, cast

from msgspec.structs import replace

from vmk_mcp.bootstrap.beside import beside
from vmk_mcp.bootstrap.knowledge_embedders import Workshops, make_plan
from vmk_mcp.bootstrap.surroundings import Family, Room, Surroundings
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.embedding.standing import EmbedderStanding
from vmk_mcp.errors import StartError
from vmk_mcp.knowledge.following import FollowingStore
from vmk_mcp.knowledge.index import IndexFrame, KnowledgeIndex
from vmk_mcp.knowledge.keeping import IndexKeeper
from vmk_mcp.knowledge.pgvector_store import PgvectorStore
from vmk_mcp.knowledge.ports import KnowledgeStore, OutsideVectors, VectorStore
from vmk_mcp.knowledge.service import KnowledgeService
from vmk_mcp.knowledge.store import PostgresKnowledgeStore
from vmk_mcp.knowledge.tools import FAMILY, offer_knowledge
from vmk_mcp.observe import Observers, Warned
from vmk_mcp.sample.document_vectors import DOCUMENTS
from vmk_mcp.settings import Settings
from vmk_mcp.tool import Offer, Readiness

_AT_ONCE_S: Final = 2.0
"""So long the start waits for the index; then it is made beside the calls."""

_FOLDER: Final = "knowledge"
_SAMPLE: Final = "sample"
_FAISS: Final = "faiss"
_QDRANT: Final = "qdrant"

# One is held all the time and one while an index is made, beside those of the calls.
_FEWEST_CONNECTIONS: Final = 5


def show_knowledge() -> Offer:
    """Give the tools as they are listed; there is nothing behind them."""
    return offer_knowledge(cast(Any, None))


def make_knowledge(around: Surroundings) -> Family:
    """Make the knowledge family; where it cannot be had it offers nothing, and readiness says why."""
    try:
        return _make(around)
    except StartError as error:
        around.observers.observe(Warned(FAMILY, f"{error.message} {error.hint}"))
        return _make_absent(error)


KNOWLEDGE: Final = Room(show_knowledge, make_knowledge)


def _make(around: Surroundings) -> Family:
    settings, standing = around.settings, EmbedderStanding()
    observer = Observers(around.observers, standing)
    workshops = Workshops(settings, observer, around.local_model)
    root = settings.knowledge.folder
    plan = replace(make_plan(settings, workshops.find_dimensions), root=_name_root(root))
    # Before the database: what is wrong with the embedder is found out without a wait for the server.
    workshops.make(plan)
    database = _make_database(around)
    store = PostgresKnowledgeStore(database)
    vectors = make_vector_store(settings, database, store)
    index = KnowledgeIndex(store, vectors, IndexFrame(root or DOCUMENTS, plan, workshops.make))
    keeper = IndexKeeper(index, around.observers)
    service = KnowledgeService(index, store, vectors, _Standings(standing, keeper), settings.knowledge.top_k)

    @asynccontextmanager
    async def open_and_close() -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(workshops.close)
            stack.push_async_callback(database.close)
            stack.push_async_callback(vectors.close)
            await database.open()
            stack.push_async_callback(index.release)
            await stack.enter_async_context(beside(keeper.keep()))
            # The sample, whose vectors lie ready, and an index in which little has changed are done at once.
            with suppress(TimeoutError):
                async with asyncio.timeout(_AT_ONCE_S):
                    await keeper.settled.wait()
            yield

    return Family(offer_knowledge(service), service.readiness, open_and_close)


def _name_root(folder: Path | None) -> str:
    """Give what tells a folder from every other: its full path; the sample is the same wherever it lies."""
    return _SAMPLE if folder is None else str(folder.resolve())


def make_vector_store(settings: Settings, database: StateDatabase, store: KnowledgeStore) -> VectorStore:
    """Make the store of vectors that the settings name; raises `StartError` where its package is missing."""
    outside = make_outside_vectors(settings)
    return PgvectorStore(database) if outside is None else FollowingStore(outside, store)


def make_outside_vectors(settings: Settings) -> OutsideVectors | None:
    """Make what keeps vectors outside of Postgres, where the settings name one; see `make_vector_store`."""
    wanted = settings.knowledge
    if wanted.store == _FAISS:
        from vmk_mcp.knowledge.faiss_vectors import FaissVectors  # noqa: PLC0415 - seldom chosen

        return FaissVectors(settings.data_dir / _FOLDER / _FAISS)
    if wanted.store == _QDRANT:
        from vmk_mcp.knowledge.qdrant_vectors import QdrantServer, QdrantVectors  # noqa: PLC0415 - the same

        key = wanted.qdrant_key.reveal() if wanted.qdrant_key else ""
        place = QdrantServer(wanted.qdrant_url, key) if wanted.qdrant_url else None
        return QdrantVectors(place or settings.data_dir / _FOLDER / _QDRANT)
    return None


class _Standings:
    """See `Standing`: of the embedder and of the index."""

    def __init__(self, embedder: EmbedderStanding, keeper: IndexKeeper) -> None:
        self._embedder = embedder
        self._keeper = keeper

    def reasons(self) -> list[str]:
        """See `Standing.reasons`."""
        return [*self._embedder.reasons(), *self._keeper.reasons()]


def _make_database(around: Surroundings) -> StateDatabase:
    wanted = around.settings.database
    size = max(_FEWEST_CONNECTIONS, wanted.pool_max_size)
    return StateDatabase(around.sources.state_dsn(), limits=PoolLimits(size, wanted.query_timeout_s))


def _make_absent(error: StartError) -> Family:
    async def check_readiness() -> Readiness:
        return Readiness("unavailable", (error.message,))

    return Family(Offer(family=FAMILY), check_readiness)
