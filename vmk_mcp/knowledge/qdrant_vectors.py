"""Vectors that are searched by Qdrant: a server, or a folder that this process has to itself."""

import asyncio
import pickle
import shutil
import sqlite3
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from msgspec import Struct

from vmk_mcp.errors import NotOffered, StartError, StoreUnavailable
from vmk_mcp.knowledge.records import ChunkIds, Generation, NearChunk, NearestQuery, VectorRows
from vmk_mcp.knowledge.ties import find_nearest_by_id
from vmk_mcp.private_files import FileLock

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

ResultT = TypeVar("ResultT")

_BEGINNING: Final = "vmk-mcp-"
_OWNER: Final = "owner"
_SHARED: Final = "shared"
_PAGE: Final = 10_000
_TIMEOUT_S: Final = 30
_CALLS_AT_ONCE: Final = 8
_DAMAGED: Final = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    sqlite3.Error,
    pickle.PickleError,
)


class QdrantServer(Struct, frozen=True):
    """A Qdrant server; `api_key` of "" shows none."""

    url: str
    api_key: str = ""


class QdrantVectors:
    """See `OutsideVectors`: one collection for each generation, whose points say whose they are.

    Its name tells the index too, so that services with databases of their own may share a server.

    A folder serves one process at a time, and is meant for tests and small indexes: Qdrant then measures
    every point in Python. One that is damaged is made anew.
    """

    def __init__(self, place: QdrantServer | Path) -> None:
        """Keep the collections at `place`; raises `StartError` where the package is not installed."""
        try:
            from qdrant_client import models  # noqa: PLC0415 - an extra, needed where this store is chosen
            from qdrant_client.http.exceptions import ApiException  # noqa: PLC0415 - the same
        except ImportError:
            raise StartError(
                "VECTOR_STORE_PROVIDER is qdrant, which needs the package qdrant-client; that is missing.",
                hint="Install vmk-mcp[qdrant], or set VECTOR_STORE_PROVIDER to pgvector.",
            ) from None
        # A folder of many points is slower than a server, which the README says; it is no fault of a call.
        warnings.filterwarnings("ignore", "Local mode is not recommended", UserWarning)
        self._models = models
        self._failure = ApiException
        self._place = place
        self._prefix = _BEGINNING
        self._names: dict[int, str] = {}
        self._client: QdrantClient | None = None
        self._lock: FileLock | None = None
        # SQLite, in which a folder keeps its points, is used by the thread that opened it and no other.
        self._threads = ThreadPoolExecutor(
            1 if isinstance(place, Path) else _CALLS_AT_ONCE, thread_name_prefix="qdrant"
        )

    def enter(self, index: str) -> None:
        """See `OutsideVectors`."""
        self._prefix = f"{_BEGINNING}{index}-"

    async def open(self, generation: Generation) -> None:
        """See `OutsideVectors`."""
        name = f"{self._prefix}{generation.id}-{generation.name}"
        await self._ask(partial(self._open, generation, name))
        self._names[generation.id] = name

    async def list_ids(self, generation: int) -> ChunkIds:
        """See `OutsideVectors`."""
        name = self._name_of(generation)
        return await self._ask(lambda client: np.fromiter(_scroll_ids(client, name), np.int64))

    async def put(self, generation: int, rows: VectorRows) -> None:
        """See `OutsideVectors`."""
        name = self._name_of(generation)
        batch = self._models.Batch(
            ids=rows.ids.tolist(),
            vectors=rows.vectors.tolist(),
            payloads=[{_OWNER: _word_of(owner)} for owner in rows.owners],
        )
        await self._ask(lambda client: client.upsert(name, batch, wait=True))

    async def remove(self, generation: int, ids: ChunkIds) -> None:
        """See `OutsideVectors`."""
        name, points = self._name_of(generation), self._models.PointIdsList(points=ids.tolist())
        await self._ask(lambda client: client.delete(name, points, wait=True))

    async def flush(self, generation: int) -> None:
        """See `OutsideVectors`; every call before was waited for."""

    async def find_nearest(self, query: NearestQuery) -> Sequence[NearChunk]:
        """See `VectorStore`."""
        name = self._name_of(query.generation)
        return await find_nearest_by_id(
            lambda most: self._ask(partial(self._find, name, query, most)), query.limit
        )

    async def keep_only(self, generations: Collection[int]) -> None:
        """See `OutsideVectors`."""
        self._names = {id_: name for id_, name in self._names.items() if id_ in generations}
        await self._ask(lambda client: self._delete(client, lambda id_, name: id_ not in generations))

    async def close(self) -> None:
        """See `OutsideVectors`."""
        if self._lock is not None or self._client is not None:
            await asyncio.get_running_loop().run_in_executor(self._threads, self._close)
        self._threads.shutdown()

    async def _ask(self, call: "Callable[[QdrantClient], ResultT]") -> ResultT:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._ask_now, call)

    def _ask_now(self, call: "Callable[[QdrantClient], ResultT]") -> ResultT:
        try:
            if self._client is None:
                self._client = self._connect()
            return call(self._client)
        except self._failure:
            raise StoreUnavailable(
                "Qdrant cannot be reached, or does not do what it is asked.",
                hint="Check that it runs at VECTOR_QDRANT_URL and takes this key; then try again.",
            ) from None
        except OSError:
            raise StoreUnavailable(
                "Qdrant's folder cannot be read or written.",
                hint="Check the rights and the free space of DATA_DIR.",
            ) from None

    def _connect(self) -> "QdrantClient":
        from qdrant_client import QdrantClient  # noqa: PLC0415 - an extra, see above

        if isinstance(self._place, QdrantServer):
            return QdrantClient(
                url=self._place.url,
                api_key=self._place.api_key or None,
                timeout=_TIMEOUT_S,
                check_compatibility=False,
            )
        self._take(self._place)
        try:
            return QdrantClient(path=str(self._place))
        except _DAMAGED:
            # All that was in it is in SQL.
            shutil.rmtree(self._place)
            return QdrantClient(path=str(self._place))

    def _take(self, folder: Path) -> None:
        """Make sure that nobody else writes the folder, before it is judged to be damaged."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder.with_name(f"{folder.name}.lock"))
        if not lock.try_exclusive():
            lock.release()
            raise StoreUnavailable(
                "Another process uses Qdrant's folder, which serves one at a time.",
                hint="Set VECTOR_QDRANT_URL to a Qdrant server, or run one process.",
            )
        self._lock = lock

    def _open(self, generation: Generation, name: str, client: "QdrantClient") -> None:
        # Of a later state of a database that was put back: it gives its numbers a second time.
        self._delete(client, lambda id_, other: id_ == generation.id and other != name)
        size = generation.plan.dimensions
        if client.collection_exists(name):
            vectors = client.get_collection(name).config.params.vectors
            if isinstance(vectors, self._models.VectorParams) and vectors.size == size:
                return
            client.delete_collection(name)
        models = self._models
        # Of unit vectors the inner product is the cosine, and nothing is normalised a second time.
        client.create_collection(
            name, vectors_config=models.VectorParams(size=size, distance=models.Distance.DOT)
        )
        if isinstance(self._place, QdrantServer):
            owners = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
            client.create_payload_index(name, _OWNER, owners)

    def _find(self, name: str, query: NearestQuery, most: int, client: "QdrantClient") -> Sequence[NearChunk]:
        models = self._models
        of_owner = models.FieldCondition(key=_OWNER, match=models.MatchValue(value=_word_of(query.owner)))
        found = client.query_points(
            name,
            query=query.vector.tolist(),
            query_filter=models.Filter(must=[of_owner]),
            limit=most,
            with_payload=False,
        )
        return [NearChunk(int(point.id), min(point.score, 1.0)) for point in found.points]

    def _delete(self, client: "QdrantClient", is_due: Callable[[int, str], bool]) -> None:
        for collection in client.get_collections().collections:
            word = collection.name.removeprefix(self._prefix).partition("-")[0]
            is_ours = collection.name.startswith(self._prefix) and word.isdecimal()
            if is_ours and is_due(int(word), collection.name):
                client.delete_collection(collection.name)

    def _close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _name_of(self, generation: int) -> str:
        name = self._names.get(generation)
        if name is None:
            raise NotOffered("The index was replaced by another one in this moment.", hint="Try again.")
        return name


def _scroll_ids(client: "QdrantClient", name: str) -> Iterator[int]:
    points, following = client.scroll(name, limit=_PAGE, with_payload=False, with_vectors=False)
    yield from (int(point.id) for point in points)
    while following is not None:
        points, following = client.scroll(
            name, limit=_PAGE, offset=following, with_payload=False, with_vectors=False
        )
        yield from (int(point.id) for point in points)


def _word_of(owner: int | None) -> str:
    return _SHARED if owner is None else str(owner)
