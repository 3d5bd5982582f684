"""Vectors that are searched by FAISS in this process, and kept in files of a folder."""

import asyncio
import hashlib
import importlib
import shutil
import threading
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from vmk_mcp.errors import NotOffered, StartError, StoreUnavailable
from vmk_mcp.knowledge.records import ChunkIds, Generation, NearChunk, NearestQuery, VectorRows, Vectors
from vmk_mcp.knowledge.ties import find_nearest_by_id
from vmk_mcp.private_files import write_private

ResultT = TypeVar("ResultT")

_ENDING: Final = ".faiss"
_SHARED: Final = "shared"
_DIGEST_BYTES: Final = 32

# A file is written whole. While an index grows document by document, writing it after each would take as long
# as all that was written before; what a kill loses of it is in SQL, and the next start takes it from there.
_CHANGED_BEFORE_WRITTEN: Final = 0.05


class FlatIndex(Protocol):
    """The part of `faiss.IndexIDMap2` that is used."""

    ntotal: int
    d: int
    id_map: object

    def add_with_ids(self, vectors: Vectors, ids: ChunkIds) -> None:
        """Hold these too, whether or not their ids are held already."""

    def remove_ids(self, ids: ChunkIds) -> int:
        """Hold these no more; gives how many were held."""

    def search(self, vectors: Vectors, most: int) -> tuple[NDArray[np.float32], ChunkIds]:
        """Give `(n, most)` inner products, greatest first, and the ids they belong to."""


class Faiss(Protocol):
    """The part of the package `faiss` that is used, by its own names."""

    def IndexFlatIP(self, dimensions: int) -> object:  # noqa: N802 - FAISS's own name
        """Make an index that measures every vector by its inner product."""

    def IndexIDMap2(self, index: object) -> FlatIndex:  # noqa: N802 - FAISS's own name
        """Have an index know its vectors by ids of ours, so that they can be removed."""

    def vector_to_array(self, vector: object) -> ChunkIds:
        """Copy a vector of C++."""

    def serialize_index(self, index: FlatIndex) -> NDArray[np.uint8]:
        """Give all that an index holds, as bytes."""

    def deserialize_index(self, content: NDArray[np.uint8]) -> FlatIndex:
        """Give the index of these bytes; raises `RuntimeError` where they are none."""


def load_faiss() -> Faiss:
    """Load the package; raises `StartError` where it is not installed."""
    try:
        return cast(Faiss, importlib.import_module("faiss"))
    except ImportError:
        raise StartError(
            "VECTOR_STORE_PROVIDER is faiss, which needs the package faiss-cpu; it is not installed.",
            hint="Install vmk-mcp[faiss], or set VECTOR_STORE_PROVIDER to pgvector.",
        ) from None


class FaissVectors:
    """See `OutsideVectors`: one flat index for each owner, so that every search is complete and exact.

    All of a generation is in memory, and each owner's index in a file of its own, with a digest before it.
    One that is missing or damaged counts as empty.
    """

    def __init__(self, folder: Path) -> None:
        """Keep the files below `folder`; raises `StartError` where FAISS is not installed."""
        self._place = folder
        self._folder = folder
        self._faiss = load_faiss()
        self._generations: dict[int, _Generation] = {}
        # FAISS lets nobody search while vectors are added or removed.
        self._turn = threading.Lock()

    def enter(self, index: str) -> None:
        """See `OutsideVectors`."""
        self._folder = self._place / index

    async def open(self, generation: Generation) -> None:
        """See `OutsideVectors`."""
        await self._run(partial(self._open, generation))

    async def list_ids(self, generation: int) -> ChunkIds:
        """See `OutsideVectors`."""
        return await self._run(self._held(generation).list_ids)

    async def put(self, generation: int, rows: VectorRows) -> None:
        """See `OutsideVectors`."""
        await self._run(partial(self._held(generation).put, rows))

    async def remove(self, generation: int, ids: ChunkIds) -> None:
        """See `OutsideVectors`."""
        await self._run(partial(self._held(generation).remove, ids))

    async def flush(self, generation: int) -> None:
        """See `OutsideVectors`; a change of few among many is written with later ones or at the end."""
        await self._run(partial(self._held(generation).write, _CHANGED_BEFORE_WRITTEN))

    async def find_nearest(self, query: NearestQuery) -> Sequence[NearChunk]:
        """See `VectorStore`."""
        held = self._held(query.generation)
        return await find_nearest_by_id(
            lambda most: self._run(partial(held.search, query.owner, query.vector, most)), query.limit
        )

    async def keep_only(self, generations: Collection[int]) -> None:
        """See `OutsideVectors`."""
        await self._run(partial(self._keep_only, frozenset(generations)))

    async def close(self) -> None:
        """See `OutsideVectors`; writes what is not written yet."""
        for held in self._generations.values():
            await self._run(partial(held.write, 0.0))
        self._generations = {}

    async def _run(self, work: Callable[[], ResultT]) -> ResultT:
        return await asyncio.to_thread(self._take_turn, work)

    def _take_turn(self, work: Callable[[], ResultT]) -> ResultT:
        with self._turn:
            try:
                return work()
            except OSError:
                raise StoreUnavailable(
                    "The vectors' files cannot be read or written.",
                    hint="Check the rights and the free space of DATA_DIR.",
                ) from None

    def _held(self, generation: int) -> "_Generation":
        held = self._generations.get(generation)
        if held is None:
            raise NotOffered("The index was replaced by another one in this moment.", hint="Try again.")
        return held

    def _open(self, generation: Generation) -> None:
        name = f"{generation.id}-{generation.name}"
        for other in self._list_folders():
            # Of a later state of a database that was put back: it gives its numbers a second time.
            if _id_of(other) == generation.id and other.name != name:
                shutil.rmtree(other)
        held = _Generation(self._faiss, self._folder / name, generation.plan.dimensions)
        held.load()
        self._generations[generation.id] = held

    def _keep_only(self, generations: Collection[int]) -> None:
        self._generations = {id_: held for id_, held in self._generations.items() if id_ in generations}
        for folder in self._list_folders():
            if _id_of(folder) not in generations:
                shutil.rmtree(folder)

    def _list_folders(self) -> list[Path]:
        return [path for path in self._folder.glob("*-*") if path.is_dir()]


class _Generation:
    """The indexes of one generation, by owner, and their files."""

    def __init__(self, faiss: Faiss, folder: Path, dimensions: int) -> None:
        self._faiss = faiss
        self._folder = folder
        self._dimensions = dimensions
        self._indexes: dict[int | None, FlatIndex] = {}
        self._unwritten: dict[int | None, int] = {}

    def load(self) -> None:
        """Take over what the files hold."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for path in self._folder.glob(f"*{_ENDING}"):
            index = self._read(path)
            if index is not None:
                self._indexes[None if path.stem == _SHARED else int(path.stem)] = index

    def list_ids(self) -> ChunkIds:
        """Give the ids of all chunks."""
        return np.concatenate([np.empty(0, np.int64), *map(self._ids_of, self._indexes.values())])

    def put(self, rows: VectorRows) -> None:
        """Hold these, each under its owner alone."""
        self.remove(rows.ids)
        for owner in set(rows.owners):
            chosen = np.array([one == owner for one in rows.owners])
            if owner not in self._indexes:
                self._indexes[owner] = self._faiss.IndexIDMap2(self._faiss.IndexFlatIP(self._dimensions))
            self._indexes[owner].add_with_ids(rows.vectors[chosen], rows.ids[chosen])
            self._note(owner, int(chosen.sum()))

    def remove(self, ids: ChunkIds) -> None:
        """Hold these no more."""
        for owner, index in self._indexes.items():
            held = np.intersect1d(self._ids_of(index), ids)
            if len(held):
                self._note(owner, index.remove_ids(held))

    def search(self, owner: int | None, vector: Vectors, most: int) -> Sequence[NearChunk]:
        """Give the nearest of an owner's chunks."""
        index = self._indexes.get(owner)
        if index is None or not index.ntotal:
            return []
        scores, ids = index.search(vector.reshape(1, -1), min(most, index.ntotal))
        return [
            NearChunk(id_, min(score, 1.0))
            for id_, score in zip(ids[0].tolist(), scores[0].tolist(), strict=True)
        ]

    def write(self, least_changed: float) -> None:
        """Write the indexes of which more than this part has changed since they were written."""
        for owner, changed in list(self._unwritten.items()):
            index = self._indexes[owner]
            if changed < least_changed * index.ntotal:
                continue
            path = self._folder / f"{_SHARED if owner is None else owner}{_ENDING}"
            if index.ntotal:
                content = self._faiss.serialize_index(index).tobytes()
                write_private(path, _digest(path, content) + content)
            else:
                path.unlink(missing_ok=True)
            del self._unwritten[owner]

    def _read(self, path: Path) -> FlatIndex | None:
        """Give what a file holds, or None for one that is damaged or of another model."""
        content = path.read_bytes()
        digest, content = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if _digest(path, content) != digest:
            return None
        index = self._faiss.deserialize_index(np.frombuffer(content, np.uint8))
        return index if index.d == self._dimensions else None

    def _ids_of(self, index: FlatIndex) -> ChunkIds:
        return self._faiss.vector_to_array(index.id_map)

    def _note(self, owner: int | None, changed: int) -> None:
        self._unwritten[owner] = self._unwritten.get(owner, 0) + changed


def _digest(path: Path, content: bytes) -> bytes:
    """Give what says that a file is whole, and this owner's in this generation: files can change places."""
    digest = hashlib.sha256(f"{path.parent.name}/{path.name}\n".encode())
    digest.update(content)
    return digest.digest()


def _id_of(folder: Path) -> int:
    """Give the id of the generation that a folder is of, or -1 for one that is none of ours."""
    word = folder.name.partition("-")[0]
    return int(word) if word.isdecimal() else -1
