"""The index as a whole: which generation there is, bringing it up to date, making it anew."""

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from vmk_mcp.errors import EmbeddingUnavailable, IndexNotReady, NotOffered, StartError, VmkError
from vmk_mcp.knowledge.building import (
    Building,
    GenerationBuilder,
    Survey,
    Wish,
    forget_gone,
    list_present,
)
from vmk_mcp.knowledge.folders import DocumentFolder
from vmk_mcp.knowledge.headway import Headway, do_each
from vmk_mcp.knowledge.indexing import FileIndexer, GenerationGone, Target, Workshop
from vmk_mcp.knowledge.model import FileOutcome
from vmk_mcp.knowledge.ports import IsKept, KnowledgeStore, VectorStore
from vmk_mcp.knowledge.records import Generation, IndexPlan
from vmk_mcp.tool import Progress, ignore_progress

_WAIT_S: Final = 0.5
_CLAIMS: Final = 10
"""A service that was killed is not gone for Postgres in the same moment."""
_TRIES: Final = 4

MakeWorkshop = Callable[[IndexPlan], Workshop]
"""Gives what makes chunks and vectors by a plan; raises `VmkError` where its embedder cannot be had."""


class IndexFrame(Struct, frozen=True):
    """What the index is made of.

    Attributes:
        root: folder of all documents.
        plan: what the index is to be; one of another plan is made anew.
        pause: waits that many seconds.
        make_name: gives a generation a name that no other ever had.
    """

    root: Path
    plan: IndexPlan
    make_workshop: MakeWorkshop
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    make_name: Callable[[], str] = partial(secrets.token_hex, 6)


class KnowledgeIndex:
    """One index over all folders, shared by all processes that use the same database.

    Attributes:
        rebuilding: how far a generation is that this process is making; empty when it makes none.
        is_refused: somebody keeps the index for another folder.
    """

    def __init__(self, store: KnowledgeStore, vectors: VectorStore, frame: IndexFrame) -> None:
        """Join the ports."""
        self._store = store
        self._vectors = vectors
        self._frame = frame
        self._workshops: dict[IndexPlan, Workshop] = {}
        self._holding = AsyncExitStack()
        self._is_kept: IsKept | None = None
        self.rebuilding = ""
        self.is_refused = False

    async def claim(self) -> bool:
        """Keep the index for this folder until `release`: two folders would take each other's files out.

        Asked again, it makes sure of that. Gives whether the claim is a new one; then the index may have been
        another folder's before, and is to be reconciled.

        Raises:
            NotOffered: a running service keeps it for another folder; so does every other method then.
        """
        self._require_claim()
        if self._is_kept is not None and await self._is_kept():
            return False
        await self.release()
        for _ in range(_CLAIMS):
            claim = self._store.claim_index(self._frame.plan.root)
            self._is_kept = await self._holding.enter_async_context(claim)
            if self._is_kept is not None:
                return True
            await self.release()
            await self._frame.pause(_WAIT_S)
        self.is_refused = True
        raise _kept_for_another()

    async def release(self) -> None:
        """Let others have the index for other folders."""
        self._is_kept = None
        await self._holding.aclose()

    async def find_active(self) -> Generation | None:
        """Give the generation that is searched; one of another folder is none of ours."""
        self._require_claim()
        before = await self._find_before()
        return before if before is not None and self._is_of_this_folder(before) else None

    async def require_active(self) -> Generation:
        """Give the generation that is searched; raises `IndexNotReady`."""
        active = await self.find_active()
        if active is None:
            raise not_ready(self.rebuilding)
        return active

    def workshop(self, generation: Generation) -> Workshop:
        """Give what made the generation, and makes what is added to it.

        Raises:
            EmbeddingUnavailable: its embedder cannot be had any more.
        """
        # Of what folder it is, and where it is searched, makes no difference to how it is made.
        plan = replace(generation.plan, store="", root="")
        if plan not in self._workshops:
            try:
                self._workshops[plan] = self._frame.make_workshop(generation.plan)
            except StartError as error:
                raise EmbeddingUnavailable(error.message, hint=error.hint) from None
        return self._workshops[plan]

    def folder(self, owner: int | None) -> DocumentFolder:
        """Give the folder of documents of `owner`."""
        return DocumentFolder(self._frame.root, owner)

    async def index_files(
        self, owner: int | None, paths: Sequence[str], progress: Progress = ignore_progress
    ) -> tuple[Generation, list[FileOutcome]]:
        """Bring files up to date, and say in which generation; raises `IndexNotReady`."""

        async def tell(percent: int) -> None:
            await progress(percent, 100, f"{percent} % of the files indexed")

        headway = Headway(len(paths), tell)

        async def index(indexer: FileIndexer, folder: DocumentFolder, place: int) -> FileOutcome:
            outcome = await indexer.index(folder, paths[place], headway.of(place))
            await headway.of(place)(1.0)
            return outcome

        return await self._for_each(owner, len(paths), index)

    async def remove_files(
        self, owner: int | None, paths: Sequence[str]
    ) -> tuple[Generation, list[FileOutcome]]:
        """Take files out of the index, and say of which generation; raises `IndexNotReady`."""

        async def remove(indexer: FileIndexer, folder: DocumentFolder, place: int) -> FileOutcome:
            return await indexer.remove(folder, paths[place])

        return await self._for_each(owner, len(paths), remove)

    async def rebuild(self, wish: Wish, progress: Progress) -> tuple[Generation, Survey]:
        """Make a new generation and swap it in, as soon as nobody else makes one.

        Raises:
            Refused: see `list_present`.
            VmkError: the store or the embedder failed; what was searched before still is.
        """
        async with self._claimed() as begun:
            if begun is not None:
                await self._store.drop_generation(begun)
            before = await self._find_before()
            if before is not None and not self._is_of_this_folder(before):
                # A lost connection lost the claim, and somebody else has the index now.
                raise not_ready(self.rebuilding)
            return await self._put_in_place(await self._builder(progress).build(before, wish))

    async def reconcile(self) -> list[FileOutcome]:
        """Make the index what it is to be: whole, by the plan, and of the files as they are now.

        Gives the files that could not be brought up to date. Raises as `rebuild` does.
        """
        async with self._claimed() as begun:
            active = await self._find_before()
            if active is None or active.plan != self._frame.plan:
                made = await self._builder(ignore_progress).go_on(begun, active)
                return (await self._put_in_place(made))[1].problems
            if begun is not None:
                await self._store.drop_generation(begun)
            problems = await self._bring_up_to_date(active)
            await self._vectors.follow(active)
            await self._vectors.keep_only([active.id])
            await self._store.free_room(active)
            return problems

    def _builder(self, progress: Progress) -> GenerationBuilder:
        frame = self._frame
        building = Building(
            store=self._store,
            vectors=self._vectors,
            root=frame.root,
            name=frame.make_name(),
            plan=frame.plan,
            workshop=frame.make_workshop(frame.plan),
            note=self._note,
            pause=frame.pause,
        )
        return GenerationBuilder(building, progress)

    async def _put_in_place(self, made: tuple[Generation, Survey]) -> tuple[Generation, Survey]:
        generation, survey = made
        await self._vectors.keep_only([generation.id])
        await self._store.free_room(generation)
        return replace(generation, state="active"), survey

    async def _find_before(self) -> Generation | None:
        generations = await self._store.list_generations()
        return next((one for one in generations if one.state == "active"), None)

    def _is_of_this_folder(self, generation: Generation) -> bool:
        return generation.plan.root == self._frame.plan.root

    def _require_claim(self) -> None:
        if self.is_refused:
            raise _kept_for_another()

    def _note(self, words: str) -> None:
        self.rebuilding = words

    @asynccontextmanager
    async def _claimed(self) -> AsyncIterator[Generation | None]:
        """Be the only one who makes generations; gives what one who was killed began by the same plan."""
        self._require_claim()
        while True:
            async with self._store.claim_building() as is_ours:
                if is_ours:
                    try:
                        yield await self._find_begun()
                    except GenerationGone:
                        raise IndexNotReady(
                            "The index was made anew by another process meanwhile.", hint="Try again."
                        ) from None
                    return
            await self._frame.pause(_WAIT_S)

    async def _find_begun(self) -> Generation | None:
        for generation in await self._store.list_generations():
            if generation.state == "building":
                if generation.plan == self._frame.plan:
                    return generation
                await self._store.drop_generation(generation)
        return None

    async def _bring_up_to_date(self, active: Generation) -> list[FileOutcome]:
        indexer = self._indexer(active)
        survey = Survey(Counter(), [])
        listings = await list_present(self._store, self._frame.root, active)
        files = [(folder, path) for folder, listing in listings for path in listing.paths]
        for outcome in await do_each(lambda file: indexer.index(*file), files):
            survey.add(outcome)
        await forget_gone(self._store, indexer, active, listings)
        return survey.problems

    def _indexer(self, active: Generation) -> FileIndexer:
        return FileIndexer(self._store, Target(active, self.workshop(active), (active.id,)))

    async def _for_each(
        self,
        owner: int | None,
        files: int,
        act: Callable[[FileIndexer, DocumentFolder, int], Awaitable[FileOutcome]],
    ) -> tuple[Generation, list[FileOutcome]]:
        """Do with each file what is to be done, all in one generation: if it is swapped, begin again."""
        for _ in range(_TRIES):
            active = await self.require_active()
            indexer, folder = self._indexer(active), self.folder(owner)
            try:
                outcomes = await do_each(partial(act, indexer, folder), range(files))
                await self._vectors.follow(active)
            except (GenerationGone, NotOffered):
                if await self.find_active() == active:
                    raise
                continue
            await self._tidy(active)
            return active, outcomes
        raise IndexNotReady("The index was made anew again and again meanwhile.", hint="Try again.")

    async def _tidy(self, active: Generation) -> None:
        """Free the room of what was deleted, unless a generation is being made, which ends with that."""
        if self._store.is_littered():
            with suppress(VmkError):
                async with self._store.claim_building() as is_ours:
                    if is_ours:
                        await self._store.free_room(active)


def _kept_for_another() -> NotOffered:
    return NotOffered(
        "Another running service keeps the index in this state database for another folder.",
        hint="Give each KB_PATH a state database of its own by STATE_DATABASE_URL, or stop that "
        "service and start this one again.",
    )


def not_ready(so_far: str) -> IndexNotReady:
    """Say that there is no index yet; `so_far` is how far the first one is, or empty."""
    progress = f": {so_far} so far" if so_far else ""
    return IndexNotReady(
        f"The index is being made for the first time{progress}.", hint="Try again in a few seconds."
    )
