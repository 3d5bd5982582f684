"""The knowledge family's one service: searching, bringing files up to date, making the index anew."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Protocol

from msgspec import UNSET, UnsetType

from vmk_mcp.errors import IndexNotReady, InvalidArguments, NotOffered, VmkError
from vmk_mcp.knowledge.building import MOST_PROBLEMS, Wish
from vmk_mcp.knowledge.folders import Refused
from vmk_mcp.knowledge.index import KnowledgeIndex
from vmk_mcp.knowledge.model import (
    DocumentPaths,
    FileOutcome,
    FoundChunk,
    IndexingResult,
    IndexScope,
    IndexStats,
    Reindexing,
    ReindexResult,
    SearchResult,
    VectorSearch,
)
from vmk_mcp.knowledge.ports import KnowledgeStore, VectorStore
from vmk_mcp.knowledge.records import Generation, IndexSummary, NearestQuery, StoredChunk
from vmk_mcp.tool import ALL, Caller, Progress, Readiness

_TRIES: Final = 3
_SCORE_DIGITS: Final = 4


class Standing(Protocol):
    """How what the service needs stands."""

    def reasons(self) -> Sequence[str]:
        """Give what is wrong at the moment, in sentences."""


class KnowledgeService:
    """Answers the family's tools; see their descriptions in `tools.py` for what each promises."""

    def __init__(
        self,
        index: KnowledgeIndex,
        store: KnowledgeStore,
        vectors: VectorStore,
        standing: Standing,
        top_k: int,
    ) -> None:
        """Join the ports; a search that does not say how many chunks it wants gets `top_k`."""
        self._index = index
        self._store = store
        self._vectors = vectors
        self._standing = standing
        self._top_k = top_k

    async def readiness(self) -> Readiness:
        """Say how the family stands now; never raises `VmkError`."""
        try:
            await self._index.require_active()
        except IndexNotReady as missing:
            return Readiness("degraded", (missing.message, *self._standing.reasons()))
        except VmkError as error:
            return Readiness("unavailable", (error.message,))
        reasons = tuple(self._standing.reasons())
        return Readiness("degraded", reasons) if reasons else Readiness("ok")

    async def vector_search(self, search: VectorSearch, caller: Caller) -> SearchResult:
        """Give the chunks of one folder that are nearest in meaning."""
        owner = find_owner(search.user_id, caller)
        top_k = self._top_k if search.top_k is UNSET else search.top_k
        for tries_left in reversed(range(_TRIES)):
            try:
                active = await self._index.require_active()
            except IndexNotReady as missing:
                return SearchResult(results=[], total_chunks=0, message=f"{missing.message} {missing.hint}")
            try:
                return await self._search(active, owner, search.query, top_k, is_last=not tries_left)
            except _Overtaken:
                continue
            except NotOffered:
                # Another generation may have taken this one's place between two statements.
                if await self._index.find_active() == active:
                    raise
        raise NotOffered("The index was made anew again and again meanwhile.", hint="Try again.")

    async def update_documents(
        self, documents: DocumentPaths, caller: Caller, progress: Progress
    ) -> IndexingResult:
        """Bring files up to date in the index, be they new or changed."""
        owner = find_owner(documents.user_id, caller)
        return _report(*await self._index.index_files(owner, documents.file_paths, progress))

    async def delete_vector_documents(self, documents: DocumentPaths, caller: Caller) -> IndexingResult:
        """Take files out of the index."""
        owner = find_owner(documents.user_id, caller)
        return _report(*await self._index.remove_files(owner, documents.file_paths))

    async def reindex_vector(self, wish: Reindexing, caller: Caller, progress: Progress) -> ReindexResult:
        """Make the index anew, and report on one folder."""
        owner = find_owner(wish.user_id, caller)
        try:
            generation, survey = await self._index.rebuild(Wish(owner, wish.force), progress)
        except Refused as refused:
            raise NotOffered(refused.reason, hint="Look at KB_PATH: the index stays as it is.") from None
        return ReindexResult(
            generation=generation.name,
            counts=dict(survey.counts),
            chunks=survey.chunks,
            embedded_texts=survey.embedded_texts,
            problems=survey.problems,
        )

    async def get_index_stats(self, scope: IndexScope, caller: Caller) -> IndexStats:
        """Say how the index stands, counted over one folder."""
        owner = find_owner(scope.user_id, caller)
        active = await self._index.find_active()
        rebuilding = self._index.rebuilding or UNSET
        if active is None:
            return IndexStats(
                generation="", files=0, chunks=0, failed=0, failures=[], model="", dimensions=0,
                chunker="", store="", rebuilding=rebuilding,
            )  # fmt: skip
        summary = await self._store.summarize_files(active.id, owner)
        failures = await self._store.list_failures(active.id, owner, MOST_PROBLEMS)
        return IndexStats(
            generation=active.name,
            files=summary.files,
            chunks=summary.chunks,
            failed=summary.failed,
            failures=[
                FileOutcome(file_path=file.path, status="failed", reason=file.reason) for file in failures
            ],
            model=active.plan.model,
            dimensions=active.plan.dimensions,
            chunker=active.plan.chunker,
            store=active.plan.store,
            last_change=UNSET if summary.last_change is None else summary.last_change.isoformat(),
            rebuilding=rebuilding,
        )

    async def list_shared_paths(self, beginning: str) -> Sequence[str]:
        """Give the indexed documents of the shared folder whose path or name begins so."""
        active = await self._index.find_active()
        return [] if active is None else await self._store.list_paths(active.id, None, beginning)

    async def _search(
        self, active: Generation, owner: int | None, query: str, top_k: int, *, is_last: bool
    ) -> SearchResult:
        (vector,) = await self._index.workshop(active).embedder.embed_queries([query])
        await self._vectors.follow(active)
        near = await self._vectors.find_nearest(
            NearestQuery(generation=active.id, owner=owner, vector=vector, limit=top_k)
        )
        # Whatever the store of vectors says: only what SQL holds as the owner's is told.
        rows = await self._store.read_chunks(active.id, owner, [one.id for one in near])
        chunks = {row.id: row for row in rows}
        summary = await self._store.summarize_files(active.id, owner)
        # A file that changed between the two statements would be told of without the part that changed.
        if len(chunks) < len(near) and not (is_last and await self._index.find_active() == active):
            raise _Overtaken
        results = [_found(chunks[one.id], one.score) for one in near if one.id in chunks]
        return SearchResult(results, summary.chunks, _why_empty(owner, summary) if not results else UNSET)


class _Overtaken(Exception):
    """What was found was changed or taken away before it was read."""


def find_owner(user_id: int | UnsetType, caller: Caller) -> int | None:
    """Give whose folder is meant; None: the shared one.

    Raises:
        InvalidArguments: this caller may not ask for that user.
    """
    if user_id is UNSET:
        return None
    if caller.user_ids == ALL or user_id in caller.user_ids:
        return user_id
    raise InvalidArguments(
        "This token may not use the documents of that user.",
        hint="Leave user_id out for the shared documents, or have the token's user_ids name the user.",
        field="user_id",
    )


def _report(generation: Generation, outcomes: list[FileOutcome]) -> IndexingResult:
    counts = Counter[str](outcome.status for outcome in outcomes)
    return IndexingResult(generation=generation.name, files=outcomes, counts=dict(counts))


def _found(chunk: StoredChunk, score: float) -> FoundChunk:
    return FoundChunk(
        text=chunk.text,
        file_path=chunk.file_path,
        heading_path=chunk.heading_path,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        score=round(score, _SCORE_DIGITS),
    )


def _why_empty(owner: int | None, summary: IndexSummary) -> str:
    folder = "The shared folder" if owner is None else "This user's folder"
    if summary.chunks:
        return f"{folder} is indexed, and none of its {summary.chunks:,} pieces fits: try other words."
    if summary.files:
        return f"{folder} holds documents, and no text in them, so that nothing can be found there."
    if summary.failed:
        return f"{folder} holds files of which none could be indexed; get_index_stats says why."
    elsewhere = "" if owner is None else " Leave user_id out to search the shared documents."
    return f"{folder} holds no indexed documents, so that nothing can be found there.{elsewhere}"
