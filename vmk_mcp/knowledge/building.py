"""A whole new generation, made beside the one that is searched and put into its place at the end."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from vmk_mcp.errors import EmbeddingUnavailable, NotOffered, VmkError
from vmk_mcp.knowledge.folders import DocumentFolder, Listing, Refused, is_bare, list_users
from vmk_mcp.knowledge.headway import Headway, TellShare, do_each
from vmk_mcp.knowledge.indexing import FileIndexer, GenerationGone, Target, Workshop
from vmk_mcp.knowledge.model import FileOutcome
from vmk_mcp.knowledge.ports import KnowledgeStore, VectorStore
from vmk_mcp.knowledge.records import Generation, IndexPlan
from vmk_mcp.tool import Progress

MOST_PROBLEMS: Final = 100
_PAUSES_S: Final = (1.0, 5.0, 20.0)


class Building(Struct, frozen=True, kw_only=True):
    """What a new generation is made with.

    Attributes:
        root: folder of all documents.
        name: the new generation's.
        plan: what it is to be.
        note: told how far it is, in words; empty at the end.
        pause: waits that many seconds.
    """

    store: KnowledgeStore
    vectors: VectorStore
    root: Path
    name: str
    plan: IndexPlan
    workshop: Workshop
    note: Callable[[str], None]
    pause: Callable[[float], Awaitable[None]]


class Survey(Struct):
    """What became of the files of one owner."""

    counts: Counter[str]
    problems: list[FileOutcome]
    chunks: int = 0
    embedded_texts: int = 0

    def add(self, outcome: FileOutcome) -> None:
        """Count one file."""
        self.counts[outcome.status] += 1
        self.chunks += outcome.chunks if isinstance(outcome.chunks, int) else 0
        if outcome.status in {"failed", "skipped"} and len(self.problems) < MOST_PROBLEMS:
            self.problems.append(outcome)


class Wish(Struct, frozen=True):
    """Whose files are reported on, and whether those are embedded anew."""

    owner: int | None = None
    is_forced: bool = False


class _Due(Struct, frozen=True):
    """A file, and what brings it into the generation."""

    indexer: FileIndexer
    folder: DocumentFolder
    path: str
    tell: TellShare

    async def index(self) -> FileOutcome:
        """Do so; raises as `FileIndexer.index` does."""
        outcome = await self.indexer.index(self.folder, self.path, self.tell)
        await self.tell(1.0)
        return outcome


class GenerationBuilder:
    """Makes a generation out of all folders; to be used by the one who claimed building."""

    def __init__(self, building: Building, progress: Progress) -> None:
        """Build as `building` says, and tell `progress` the share that is done, in percent."""
        self._b = building
        self._progress = progress

    async def build(self, before: Generation | None, wish: Wish) -> tuple[Generation, Survey]:
        """Make a generation and let it take the place of `before`.

        Raises:
            Refused: see `list_present`.
            VmkError: the store or the embedder failed; nothing has changed then.
        """
        listings = await list_present(self._b.store, self._b.root, before)
        generation = await self._b.store.start_generation(self._b.name, self._b.plan)
        try:
            return generation, await self._complete(generation, before, listings, wish)
        except BaseException:
            await asyncio.shield(self._give_up(generation))
            raise

    async def go_on(self, begun: Generation | None, before: Generation | None) -> tuple[Generation, Survey]:
        """Do so with a generation that somebody began and did not end; what is in it already stays.

        One that comes to nothing again is left to be gone on with: what was embedded is dear.
        """
        listings = await list_present(self._b.store, self._b.root, begun or before)
        generation = begun or await self._b.store.start_generation(self._b.name, self._b.plan)
        return generation, await self._complete(generation, before, listings, Wish())

    async def _complete(
        self,
        generation: Generation,
        before: Generation | None,
        listings: Sequence[tuple[DocumentFolder, Listing]],
        wish: Wish,
    ) -> Survey:
        try:
            survey = await self._fill(generation, before, listings, wish)
            indexer = self._indexer(generation, before, is_forced=False)
            await forget_gone(self._b.store, indexer, generation, listings)
            await self._activate(generation, before)
        except NotOffered:
            await self._require_there(generation)
            raise
        finally:
            self._b.note("")
        return survey

    async def _fill(
        self,
        generation: Generation,
        before: Generation | None,
        listings: Sequence[tuple[DocumentFolder, Listing]],
        wish: Wish,
    ) -> Survey:
        indexers = {
            folder.owner: self._indexer(
                generation, before, is_forced=wish.is_forced and folder.owner == wish.owner
            )
            for folder, _ in listings
        }
        files = [(folder, path) for folder, listing in listings for path in listing.paths]
        headway = Headway(len(files), self._tell)
        due = [
            _Due(indexers[folder.owner], folder, path, headway.of(place))
            for place, (folder, path) in enumerate(files)
        ]
        reported = Survey(Counter(), [])
        for one, outcome in zip(due, await do_each(self._index, due), strict=True):
            if one.folder.owner == wish.owner:
                reported.add(outcome)
        if wish.owner in indexers:
            reported.embedded_texts = indexers[wish.owner].embedded_texts
        return reported

    async def _tell(self, percent: int) -> None:
        """Tell the share of all files; their number is nobody's to know who may not see all users' files."""
        self._b.note(f"{percent} % of the files")
        await self._progress(percent, 100, f"{percent} % of the files indexed")

    async def _index(self, due: _Due) -> FileOutcome:
        """Index a file, with some patience for an embedder that fails: all that is made would be lost."""
        for pause_s in _PAUSES_S:
            with suppress(EmbeddingUnavailable):
                return await due.index()
            await self._b.pause(pause_s)
        return await due.index()

    def _indexer(self, generation: Generation, before: Generation | None, *, is_forced: bool) -> FileIndexer:
        takes_over = before is not None and not is_forced and is_same_model(before.plan, self._b.plan)
        sources = (generation.id, *((before.id,) if before is not None and takes_over else ()))
        return FileIndexer(self._b.store, Target(generation, self._b.workshop, sources, is_strict=True))

    async def _activate(self, generation: Generation, before: Generation | None) -> None:
        """Swap, once all that changed meanwhile has been looked at again."""
        await self._b.store.prepare_searching(generation)
        indexer = self._indexer(generation, before, is_forced=False)
        while True:
            await self._look_again(indexer, generation)
            await self._b.vectors.follow(generation)
            if await self._b.store.activate(generation):
                return
            await self._require_there(generation)

    async def _require_there(self, generation: Generation) -> None:
        """Raise `GenerationGone` where a lost connection lost the claim, and somebody ended or dropped it."""
        generations = await self._b.store.list_generations()
        if (generation.id, generation.state) not in [(one.id, one.state) for one in generations]:
            raise GenerationGone

    async def _look_again(self, indexer: FileIndexer, generation: Generation) -> None:
        for touched in await self._b.store.take_touched(generation.id):
            folder = DocumentFolder(self._b.root, touched.owner)
            if await asyncio.to_thread(folder.has_file, touched.path):
                await indexer.index(folder, touched.path)
            else:
                await indexer.forget(folder, touched.path)

    async def _give_up(self, generation: Generation) -> None:
        try:
            await self._b.store.drop_generation(generation)
        except VmkError:
            return  # whoever builds next drops it


async def forget_gone(
    store: KnowledgeStore,
    indexer: FileIndexer,
    generation: Generation,
    listings: Sequence[tuple[DocumentFolder, Listing]],
) -> None:
    """Take those files out of a generation that are not on the disk."""
    found = {folder.owner: (folder, listing) for folder, listing in listings}
    shared, _ = listings[0]
    for owner in (None, *await store.list_owners(generation.id)):
        folder, listing = found.get(owner) or (shared.of(owner), Listing((), ()))
        there = set(listing.paths)
        for file in await store.list_files(generation.id, owner):
            if file.path not in there and not listing.may_hold(file.path):
                await indexer.forget(folder, file.path)


def is_same_model(one: IndexPlan, other: IndexPlan) -> bool:
    """Say whether vectors of one plan can be taken over into the other."""
    return (one.provider, one.model, one.dimensions) == (other.provider, other.model, other.dimensions)


async def list_present(
    store: KnowledgeStore, root: Path, known: Generation | None
) -> list[tuple[DocumentFolder, Listing]]:
    """Give every owner's folder and the documents in it, the shared ones first.

    Raises:
        Refused: the root is not there, or nothing lies in it while `known` holds files: perhaps it is not
            mounted, and nothing may be concluded from that.
    """
    listings = await asyncio.to_thread(_list_all, root)
    if known is not None and await asyncio.to_thread(is_bare, root) and await _holds_files(store, known):
        raise Refused(
            "The folder of documents is empty while documents of it are indexed; perhaps it is not mounted.",
            is_retryable=True,
        )
    return listings


async def _holds_files(store: KnowledgeStore, generation: Generation) -> bool:
    shared = await store.summarize_files(generation.id, None)
    return bool(shared.files + shared.failed or await store.list_owners(generation.id))


def _list_all(root: Path) -> list[tuple[DocumentFolder, Listing]]:
    shared = DocumentFolder(root, None)
    listings = [(shared, shared.list_documents())]
    for user in list_users(root):
        folder = DocumentFolder(root, user)
        try:
            listings.append((folder, folder.list_documents()))
        except Refused:
            continue  # a link: nobody's folder
    return listings
