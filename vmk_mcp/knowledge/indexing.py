"""One file into one generation: read, cut, embedded and written, or the reason why not."""

import asyncio
from contextlib import nullcontext
from typing import Final

import numpy as np
from msgspec import UNSET, Struct

from vmk_mcp.errors import EmbeddingUnavailable, InvalidArguments
from vmk_mcp.knowledge.chunking.chunker import Chunker
from vmk_mcp.knowledge.decoding import Undecodable, decode
from vmk_mcp.knowledge.documents import is_document, is_markdown
from vmk_mcp.knowledge.drafts import compare_chunks, draft_chunks
from vmk_mcp.knowledge.finding_vectors import VectorFinder
from vmk_mcp.knowledge.folders import DocumentFolder, ReadFile, Refused, spell_path
from vmk_mcp.knowledge.headway import TellShare, tell_nobody
from vmk_mcp.knowledge.model import FileOutcome
from vmk_mcp.knowledge.ports import DocumentEmbedder, FileWriting, KnowledgeStore
from vmk_mcp.knowledge.records import ChunkChanges, FileNote, Generation, StoredFile

_TRIES: Final = 5
_LARGE_BYTES: Final = 512 * 1024
_NOTHING: Final = ChunkChanges([], [], [], np.empty((0, 0), np.float32))


class Workshop(Struct, frozen=True):
    """What makes the chunks and vectors of one plan."""

    chunker: Chunker
    embedder: DocumentEmbedder


class Target(Struct, frozen=True):
    """Which index is written, and how.

    Attributes:
        generation: where the files go.
        sources: generations whose vectors are taken over where the text is the same; the first is its own.
        is_strict: an embedder that fails is raised, and no reason to leave a file out.
    """

    generation: Generation
    workshop: Workshop
    sources: tuple[int, ...]
    is_strict: bool = False


class _Errand(Struct, frozen=True):
    """One file that is to be brought up to date.

    Attributes:
        path: as it was given.
        located: the one path that stands for the file.
    """

    folder: DocumentFolder
    path: str
    located: str
    tell: TellShare


class _Changed(Exception):
    """The file, or the generation, is not any more what it was when it was looked at."""


class GenerationGone(Exception):
    """The generation that is written to has been taken away, or has become the active one."""


class FileIndexer:
    """Brings single files up to date in one target, several of them at a time.

    What is written is what lay on the disk while the file's lock was held: whoever comes last, of any
    process, has looked last.
    """

    def __init__(self, store: KnowledgeStore, target: Target) -> None:
        """Write into `target` through `store`."""
        self._store = store
        self._target = target
        self._generation = target.generation.id
        self._vectors = VectorFinder(store, target.workshop.embedder, target.sources)
        self._large = asyncio.Lock()

    @property
    def embedded_texts(self) -> int:
        """How many texts the embedder was given so far."""
        return self._vectors.embedded_texts

    async def index(self, folder: DocumentFolder, path: str, tell: TellShare = tell_nobody) -> FileOutcome:
        """Make the index hold the file as it is; `tell` is told how much of a large one is done.

        A file that can be no document any more leaves the index, and so does what was indexed under a path
        that has become a link; one that cannot be read or embedded just now stays in it as it was.

        Raises:
            GenerationGone: it is to be done again, in the generation that there is now.
            VmkError: what the store raises; in a strict target what the embedder does, too.
        """
        try:
            located = await self._locate(folder, path)
            if not is_document(path):
                return FileOutcome(file_path=path, status="skipped", reason=_skip_reason(path))
            return await self._index_until_settled(_Errand(folder, path, located, tell))
        except Refused as refused:
            return _failed(path, refused.reason, is_retryable=refused.is_retryable)
        except (EmbeddingUnavailable, InvalidArguments) as error:
            if self._target.is_strict and error.retryable:
                raise
            return _failed(path, error.message, is_retryable=error.retryable)

    async def remove(self, folder: DocumentFolder, path: str) -> FileOutcome:
        """Take a file out of the index, whatever there is on the disk.

        A link is not followed: where the path has become one, what it leads to is another file.
        """
        try:
            if await self.forget(folder, spell_path(path)):
                return FileOutcome(file_path=path, status="deleted")
            await asyncio.to_thread(folder.locate, path)
        except Refused as refused:
            return _failed(path, refused.reason, is_retryable=refused.is_retryable)
        return FileOutcome(file_path=path, status="absent")

    async def forget(self, folder: DocumentFolder, located: str) -> bool:
        """Take the file of a located path out of the index; says whether it was in it."""
        async with self._store.write_files(folder.owner, [located]) as writing:
            await self._check_generation(writing)
            file = await writing.find_file(self._generation, folder.owner, located)
            if file is not None:
                await writing.remove_file(self._generation, file)
        return file is not None

    async def _locate(self, folder: DocumentFolder, path: str) -> str:
        """See `DocumentFolder.locate`; takes away what was indexed of a path that leads elsewhere now."""
        name = spell_path(path)
        try:
            located = await asyncio.to_thread(folder.locate, path)
        except Refused as refused:
            if not refused.is_retryable:
                await self._forget_link(folder, name)
            raise
        if located != name:
            await self._forget_link(folder, name)
        return located

    async def _forget_link(self, folder: DocumentFolder, name: str) -> None:
        if await self._store.find_file(self._generation, folder.owner, name) is None:
            return
        async with self._store.write_files(folder.owner, [name]) as writing:
            await self._check_generation(writing)
            file = await writing.find_file(self._generation, folder.owner, name)
            if file is not None and not await asyncio.to_thread(folder.has_file, name):
                await writing.remove_file(self._generation, file)

    async def _index_until_settled(self, errand: _Errand) -> FileOutcome:
        if not is_document(errand.located):
            raise Refused(_skip_reason(errand.located))
        for _ in range(_TRIES):
            try:
                return await self._index_once(errand)
            except _Changed:
                continue
        raise Refused("The file, or the index, was changed again and again meanwhile.", is_retryable=True)

    async def _index_once(self, errand: _Errand) -> FileOutcome:
        folder, path, located = errand.folder, errand.path, errand.located
        try:
            read = await asyncio.to_thread(folder.read, located)
        except Refused as refused:
            if not refused.is_retryable:
                await self._note_failure(errand, refused.reason)
            raise
        known = await self._store.find_file(self._generation, folder.owner, located)
        if known is not None and known.content_hash == read.content_hash:
            if known.reason:
                return _failed(path, known.reason)
            return _done(path, "unchanged", known.chunks, read)
        if known is None and (moved := await self._find_moved(errand, read)) is not None:
            await self._move(errand, read, moved)
            return _done(path, "indexed", moved.chunks, read)
        # What is made of a large one, with its vectors, takes several times its size in memory.
        async with self._large if len(read.content) > _LARGE_BYTES else nullcontext():
            return _done(path, "indexed", await self._write(errand, read), read)

    async def _write(self, errand: _Errand, read: ReadFile) -> int:
        try:
            decoded = await asyncio.to_thread(decode, read.content)
        except Undecodable as fault:
            await self._note_failure(errand, str(fault), read)
            raise Refused(str(fault)) from None
        folder, located = errand.folder, errand.located
        chunker = self._target.workshop.chunker
        chunks = await chunker.cut(decoded.text, is_markdown=is_markdown(located))
        drafts = await asyncio.to_thread(draft_chunks, decoded.text, chunks)
        vectors = await self._vectors.find(drafts, errand.tell)
        async with self._store.write_files(folder.owner, [located]) as writing:
            await self._check_generation(writing)
            await _check_content(errand, read)
            known = await writing.find_file(self._generation, folder.owner, located)
            stored = await writing.list_chunks(known.id) if known is not None else []
            note = FileNote(
                owner=folder.owner,
                path=located,
                content_hash=read.content_hash,
                encoding=decoded.encoding,
            )
            await writing.put_file(self._generation, note, compare_chunks(stored, drafts, vectors))
        return len(drafts)

    async def _find_moved(self, errand: _Errand, read: ReadFile) -> StoredFile | None:
        """Give the file of the same bytes whose path is gone from the disk: it has been renamed."""
        folder = errand.folder
        for file in await self._store.find_by_content(self._generation, folder.owner, read.content_hash):
            is_alike = is_markdown(file.path) == is_markdown(errand.located)
            if is_alike and not await asyncio.to_thread(folder.has_file, file.path):
                return file
        return None

    async def _move(self, errand: _Errand, read: ReadFile, moved: StoredFile) -> None:
        folder, located = errand.folder, errand.located
        async with self._store.write_files(folder.owner, [located, moved.path]) as writing:
            await self._check_generation(writing)
            await _check_content(errand, read)
            known = await writing.find_file(self._generation, folder.owner, located)
            still = await writing.find_file(self._generation, folder.owner, moved.path)
            if known is not None or still != moved or folder.has_file(moved.path):
                raise _Changed
            await writing.move_file(self._generation, moved, located)

    async def _note_failure(self, errand: _Errand, reason: str, read: ReadFile | None = None) -> None:
        """Take what was indexed of the file away, and keep the reason if there is a file at all."""
        folder, located = errand.folder, errand.located
        async with self._store.write_files(folder.owner, [located]) as writing:
            await self._check_generation(writing)
            await _check_content(errand, read)
            known = await writing.find_file(self._generation, folder.owner, located)
            if not folder.has_file(located):
                if known is not None:
                    await writing.remove_file(self._generation, known)
                return
            stored = await writing.list_chunks(known.id) if known is not None else []
            content_hash = read.content_hash if read is not None else ""
            note = FileNote(owner=folder.owner, path=located, content_hash=content_hash, reason=reason)
            if known is None or stored or (known.content_hash, known.reason) != (content_hash, reason):
                changes = ChunkChanges([], [chunk.id for chunk in stored], [], _NOTHING.vectors)
                await writing.put_file(self._generation, note, changes)

    async def _check_generation(self, writing: FileWriting) -> None:
        due = (self._generation, self._target.generation.state)
        if due not in [(one.id, one.state) for one in await writing.list_generations()]:
            raise GenerationGone


async def _check_content(errand: _Errand, read: ReadFile | None) -> None:
    """See, while nobody else writes the file, that it still is as read; None: that it cannot be read."""
    try:
        again = await asyncio.to_thread(errand.folder.read, errand.located)
    except Refused:
        if read is not None:
            raise _Changed from None
        return
    if read is None or again.content_hash != read.content_hash:
        raise _Changed


def _done(path: str, status: str, chunks: int, read: ReadFile) -> FileOutcome:
    return FileOutcome(
        file_path=path,
        status="unchanged" if status == "unchanged" else "indexed",
        chunks=chunks,
        content_hash=read.content_hash,
    )


def _failed(path: str, reason: str, *, is_retryable: bool = False) -> FileOutcome:
    return FileOutcome(
        file_path=path, status="failed", reason=reason, retryable=True if is_retryable else UNSET
    )


def _skip_reason(path: str) -> str:
    if any(part.startswith(".") for part in path.split("/")):
        return "The path is hidden: a step of it begins with a dot."
    return "Only Markdown and text are indexed: .md, .markdown, .mdown, .mkd, .txt, .text."
