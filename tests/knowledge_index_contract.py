"""What the index does with files, over the fake store and over Postgres alike."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

import pytest
from msgspec import UNSET, Struct
from msgspec.structs import replace

from tests.fakes import FakeEmbedder
from vmk_mcp.errors import EmbeddingUnavailable, IndexNotReady
from vmk_mcp.knowledge.building import Wish
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.folders import Refused
from vmk_mcp.knowledge.index import IndexFrame, KnowledgeIndex
from vmk_mcp.knowledge.indexing import Workshop
from vmk_mcp.knowledge.model import SearchResult, VectorSearch
from vmk_mcp.knowledge.ports import KnowledgeStore, VectorStore
from vmk_mcp.knowledge.records import IndexPlan
from vmk_mcp.knowledge.service import KnowledgeService
from vmk_mcp.tool import Caller, ignore_progress

DIMENSIONS: Final = 64
PLAN: Final = IndexPlan(
    provider="fake",
    model="fake-model",
    dimensions=DIMENSIONS,
    chunker=ChunkRules(strategy="fixed_size_overlap", size=64, overlap=8).name,
    chunk_size=64,
    chunk_overlap=8,
    store="pgvector",
)
EVERYBODY: Final = Caller(name="all", rights=frozenset({"knowledge", "knowledge.index"}), user_ids="all")


class Unwell:
    """See `Standing`: all is well."""

    def reasons(self) -> Sequence[str]:
        """See `Standing.reasons`."""
        return ()


class World(Struct, frozen=True):
    """A folder of documents, an index over it, and the embedders by model."""

    root: Path
    store: KnowledgeStore
    vectors: VectorStore
    embedders: dict[str, FakeEmbedder]

    def index(self, plan: IndexPlan = PLAN) -> KnowledgeIndex:
        """Give the index as a process that wants `plan` has it."""
        return KnowledgeIndex(self.store, self.vectors, IndexFrame(self.root, plan, self._workshop, _go_on))

    def service(self, index: KnowledgeIndex | None = None) -> KnowledgeService:
        """Give the service over the index."""
        return KnowledgeService(index or self.index(), self.store, self.vectors, Unwell(), top_k=5)

    def write(self, path: str, content: str | bytes) -> None:
        """Put a file there."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def embedder(self, model: str = PLAN.model) -> FakeEmbedder:
        """Give the embedder of a model."""
        return self.embedders.setdefault(model, FakeEmbedder(model, DIMENSIONS))

    def embedded(self, model: str = PLAN.model) -> list[str]:
        """Give the texts that were embedded as documents, and forget them."""
        texts = [one for kind, part in self.embedder(model).requests for one in part if kind == "document"]
        self.embedder(model).requests.clear()
        return texts

    def _workshop(self, plan: IndexPlan) -> Workshop:
        embedder = self.embedder(plan.model)
        rules = ChunkRules.of_name(
            plan.chunker, size=plan.chunk_size, overlap=plan.chunk_overlap, most_characters=7_000
        )
        return Workshop(Chunker(rules, embedder.embed_documents), embedder)

    async def search(self, query: str, user_id: int | None = None, top_k: int = 5) -> SearchResult:
        """Search as a client does."""
        search = VectorSearch(query=query, top_k=top_k, user_id=UNSET if user_id is None else user_id)
        return await self.service().vector_search(search, EVERYBODY)

    async def snapshot(self) -> list[tuple[object, ...]]:
        """Give all that the active generation holds, as far as one made from scratch holds the same."""
        active = await self.index().find_active()
        assert active is not None
        rows: list[tuple[object, ...]] = []
        ids = await self.store.list_chunk_ids(active.id)
        for owner in [None, *await self.store.list_owners(active.id)]:
            rows += [
                (owner, file.path, file.content_hash, file.reason, file.chunks)
                for file in await self.store.list_files(active.id, owner)
            ]
            rows += [
                (owner, one.file_path, one.start_line, one.end_line, one.text, *one.heading_path)
                for one in await self.store.read_chunks(active.id, owner, ids.tolist())
            ]
        assert len(ids) == len((await self.store.read_vectors(active.id, ids)).ids)
        return sorted(rows, key=repr)


async def _go_on(_: float) -> None:
    await asyncio.sleep(0)


async def _until_asked(embedder: FakeEmbedder) -> None:
    while not embedder.requests:  # noqa: ASYNC110 (the fake tells nobody, and it is a moment)
        await asyncio.sleep(0.001)


Check = Callable[[World], Awaitable[None]]


async def _a_file_is_found_as_soon_as_it_is_indexed(world: World) -> None:
    index = world.index()
    await index.reconcile()
    world.write("guides/rent.md", "# Оренда\n\nЗаставу повертають наприкінці.\n")
    _, (outcome,) = await index.index_files(None, ["guides/rent.md"])
    assert (outcome.status, outcome.chunks) == ("indexed", 1)
    found = await world.search("заставу повертають")
    assert found.total_chunks == 1
    (hit,) = found.results
    assert (hit.file_path, hit.heading_path, hit.start_line, hit.end_line) == (
        "guides/rent.md",
        ["Оренда"],
        1,
        3,
    )
    assert hit.text == "# Оренда\n\nЗаставу повертають наприкінці."
    _, (again,) = await index.index_files(None, ["guides/rent.md"])
    assert again.status == "unchanged"
    assert again.content_hash == outcome.content_hash
    assert len(world.embedded()) == 1


async def _each_file_has_an_outcome_of_its_own(world: World) -> None:
    world.write("good.md", "words")
    world.write("binary.md", b"a\0b")
    world.write("picture.png", b"...")
    world.write(".hidden.md", "words")
    await world.index().reconcile()
    paths = [
        "good.md",
        "binary.md",
        "picture.png",
        ".hidden.md",
        "gone.md",
        "../x.md",
        "/etc/passwd",
        "a/../x.md",
    ]
    _, outcomes = await world.index().index_files(None, paths)
    assert [one.status for one in outcomes] == ["unchanged", "failed", "skipped", "skipped", *["failed"] * 4]
    assert all(one.reason for one in outcomes[1:])
    stats = await world.store.summarize_files((await world.index().require_active()).id, None)
    assert (stats.files, stats.failed) == (1, 1)


async def _one_changed_paragraph_embeds_only_what_changed(world: World) -> None:
    paragraphs = [f"Абзац {n} каже про квартиру номер {n * 7919 % 1000} своє слово." for n in range(200)]
    world.write("long.md", "\n\n".join(paragraphs))
    index = world.index()
    await index.reconcile()
    assert len(world.embedded()) > 60
    active = await index.require_active()
    old_ids = set((await world.store.list_chunk_ids(active.id)).tolist())
    paragraphs[100] = "Тут тепер інше."
    world.write("long.md", "\n\n".join(paragraphs))
    await index.index_files(None, ["long.md"])
    assert 1 <= len(world.embedded()) <= 6
    # Unchanged chunks stay the same rows, so that stores which go by their ids have nothing to do.
    assert len(old_ids - set((await world.store.list_chunk_ids(active.id)).tolist())) <= 6
    before = await world.snapshot()
    await index.rebuild(Wish(None, is_forced=True), ignore_progress)
    assert await world.snapshot() == before


async def _a_renamed_file_is_a_new_path_and_no_new_vector(world: World) -> None:
    world.write("old.md", "# Назва\n\nслова\n")
    index = world.index()
    await index.reconcile()
    world.embedded()
    (world.root / "old.md").rename(world.root / "new.md")
    _, (outcome,) = await index.index_files(None, ["new.md"])
    assert outcome.status == "indexed"
    assert world.embedded() == []
    assert [hit.file_path for hit in (await world.search("слова")).results] == ["new.md"]
    _, (gone,) = await index.remove_files(None, ["old.md"])
    assert gone.status == "absent"


async def _a_copy_is_a_file_of_its_own_with_the_same_vectors(world: World) -> None:
    world.write("one.md", "слова про одне\n")
    index = world.index()
    await index.reconcile()
    world.embedded()
    world.write("two.md", "слова про одне\n")
    await index.index_files(None, ["two.md"])
    assert world.embedded() == []
    assert {hit.file_path for hit in (await world.search("слова")).results} == {"one.md", "two.md"}


async def _a_file_that_is_no_document_any_more_leaves_the_index(world: World) -> None:
    world.write("a.md", "слова")
    world.write("b.md", "слова")
    index = world.index()
    await index.reconcile()
    world.write("a.md", b"\0\0")
    (world.root / "b.md").unlink()
    _, outcomes = await index.index_files(None, ["a.md", "b.md"])
    assert [one.status for one in outcomes] == ["failed", "failed"]
    found = await world.search("слова")
    assert (found.results, found.total_chunks) == ([], 0)
    assert found.message


async def _a_failing_embedder_takes_nothing_away(world: World) -> None:
    world.write("a.md", "старі слова")
    world.write("b.md", "інші слова")
    index = world.index()
    await index.reconcile()
    before = await world.snapshot()
    world.write("a.md", "нові слова")
    world.embedder().failure = EmbeddingUnavailable("it is down")
    _, outcomes = await index.index_files(None, ["a.md", "b.md"])
    assert [(one.status, one.retryable) for one in outcomes] == [("failed", True), ("unchanged", UNSET)]
    assert await world.snapshot() == before
    world.embedder().failure = None
    _, (outcome,) = await index.index_files(None, ["a.md"])
    assert outcome.status == "indexed"


async def _an_embedder_that_fails_in_a_rebuild_leaves_the_old_generation(world: World) -> None:
    for number in range(5):
        world.write(f"{number}.md", f"слова {number}")
    index = world.index()
    await index.reconcile()
    before = await index.require_active()
    world.embedder().failure = EmbeddingUnavailable("it is down")
    with pytest.raises(EmbeddingUnavailable):
        await index.rebuild(Wish(None, is_forced=True), ignore_progress)
    assert [one.id for one in await world.store.list_generations()] == [before.id]
    world.embedder().failure = None
    assert (await world.search("слова")).total_chunks == 5


async def _users_see_their_own_documents_alone(world: World) -> None:
    world.write("shared.md", "спільні слова")
    world.write("users/7/mine.md", "мої слова")
    world.write("users/8/theirs.md", "їхні слова")
    index = world.index()
    await index.reconcile()
    assert [hit.file_path for hit in (await world.search("слова")).results] == ["shared.md"]
    assert [hit.file_path for hit in (await world.search("слова", 7)).results] == ["mine.md"]
    assert (await world.search("слова", 8)).total_chunks == 1
    nobody = await world.search("слова", 9)
    assert (nobody.results, nobody.total_chunks) == ([], 0)
    for owner, path in ((None, "users/7/mine.md"), (7, "../8/theirs.md"), (8, "../../shared.md")):
        _, (outcome,) = await index.index_files(owner, [path])
        assert outcome.status == "failed"
        _, (outcome,) = await index.remove_files(owner, [path])
        assert outcome.status == "failed"


async def _another_plan_is_made_beside_the_one_that_is_searched(world: World) -> None:
    for number in range(4):
        world.write(f"{number}.md", f"слова про річ {number}")
    await world.index().reconcile()
    old = await world.index().require_active()
    newer = replace(PLAN, model="newer-model", chunker="fixed_size-v1")
    world.embedder("newer-model").hold()
    changed = world.index(newer)
    making = asyncio.create_task(changed.reconcile())
    await _until_asked(world.embedder("newer-model"))
    # Half built: the old one answers, takes changes, and its model embeds the question.
    found = await world.service(changed).vector_search(VectorSearch(query="слова"), EVERYBODY)
    assert found.total_chunks == 4
    world.write("0.md", "зовсім інше тепер")
    world.write("9.md", "нове")
    (world.root / "1.md").unlink()
    await changed.index_files(None, ["0.md", "9.md"])
    await changed.remove_files(None, ["1.md"])
    world.embedder("newer-model").release()
    await making
    active = await changed.require_active()
    assert (active.plan, active.id > old.id) == (newer, True)
    assert [one.id for one in await world.store.list_generations()] == [active.id]
    files = await world.store.list_files(active.id, None)
    assert [file.path for file in files] == ["0.md", "2.md", "3.md", "9.md"]
    found = await world.service(changed).vector_search(VectorSearch(query="зовсім інше тепер"), EVERYBODY)
    assert found.results[0].file_path == "0.md"
    assert found.total_chunks == 4


async def _a_new_generation_takes_vectors_over_unless_forced(world: World) -> None:
    for number in range(3):
        world.write(f"{number}.md", f"слова {number}")
    world.write("users/7/mine.md", "мої слова")
    index = world.index()
    await index.reconcile()
    assert len(world.embedded()) == 4
    first, survey = await index.rebuild(Wish(), ignore_progress)
    assert (world.embedded(), survey.embedded_texts) == ([], 0)
    told: list[tuple[float, float | None]] = []

    async def progress(done: float, total: float | None, message: str) -> None:
        assert message
        told.append((done, total))

    second, survey = await index.rebuild(Wish(None, is_forced=True), progress)
    assert first.name != second.name
    assert (len(world.embedded()), survey.embedded_texts, dict(survey.counts)) == (3, 3, {"indexed": 3})
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


async def _what_a_killed_process_left_half_made_is_dropped(world: World) -> None:
    world.write("a.md", "слова")
    await world.index().reconcile()
    await world.store.start_generation("half-made", PLAN)
    await world.index().reconcile()
    assert [one.state for one in await world.store.list_generations()] == ["active"]
    world.write("b.md", "нові")
    (world.root / "a.md").unlink()
    await world.index().reconcile()
    active = await world.index().require_active()
    assert [file.path for file in await world.store.list_files(active.id, None)] == ["b.md"]


async def _a_first_index_that_was_broken_off_is_gone_on_with(world: World) -> None:
    for number in range(6):
        world.write(f"{number}.md", f"слова про річ {number}")
    making = asyncio.create_task(world.index().reconcile())
    while len(world.embedder().requests) < 3:  # noqa: ASYNC110 (the fake tells nobody)
        await asyncio.sleep(0.001)
    making.cancel()
    await asyncio.wait([making])
    (begun,) = await world.store.list_generations()
    assert begun.state == "building"
    had = len(await world.store.list_files(begun.id, None))
    assert had >= 2
    (world.root / "0.md").unlink()
    world.write("1.md", "інше")
    world.embedded()
    await world.index().reconcile()
    # The last request of the one that was broken off may have come to nothing.
    assert len(world.embedded()) <= 6 - had + 1
    active = await world.index().require_active()
    assert active.name == begun.name
    assert [file.path for file in await world.store.list_files(active.id, None)] == [
        f"{number}.md" for number in range(1, 6)
    ]
    settled = await world.snapshot()
    await world.index().rebuild(Wish(None, is_forced=True), ignore_progress)
    assert await world.snapshot() == settled


async def _a_generation_that_is_taken_away_while_it_is_made_ends_the_making(world: World) -> None:
    for number in range(3):
        world.write(f"{number}.md", f"слова {number}")
    world.embedder().hold()
    making = asyncio.create_task(world.index().reconcile())
    await _until_asked(world.embedder())
    for generation in await world.store.list_generations():
        await world.store.drop_generation(generation)
    world.embedder().release()
    with pytest.raises(IndexNotReady):
        await making
    await world.index().reconcile()
    assert (await world.search("слова")).total_chunks == 3


async def _a_generation_that_somebody_else_ended_ends_the_making(world: World) -> None:
    world.write("a.md", "слова")
    world.embedder().hold()
    making = asyncio.create_task(world.index().reconcile())
    await _until_asked(world.embedder())
    (begun,) = await world.store.list_generations()
    assert await world.store.activate(begun)
    world.embedder().release()
    with pytest.raises(IndexNotReady):
        await making
    await world.index().reconcile()
    assert (await world.search("слова")).total_chunks == 1


async def _a_file_that_changes_while_it_is_read_ends_as_it_is(world: World) -> None:
    index = world.index()
    await index.reconcile()
    world.write("a.md", "перша редакція")
    world.embedder().hold()
    adding = asyncio.create_task(index.index_files(None, ["a.md"]))
    await _until_asked(world.embedder())
    world.write("a.md", "друга редакція")
    world.embedder().release()
    _, (outcome,) = await adding
    assert outcome.status == "indexed"
    (hit,) = (await world.search("редакція")).results
    assert hit.text == "друга редакція"


async def _many_at_once_end_as_one_from_scratch_would(world: World) -> None:
    one, other = world.index(), world.index()
    await one.reconcile()
    for round_ in range(4):
        for number in range(6):
            world.write(f"{number}.md", f"# Файл {number}\n\nредакція {round_ * number} і ще щось\n")
        paths = [f"{number}.md" for number in range(6)]
        await asyncio.gather(
            one.index_files(None, paths),
            other.index_files(None, paths[::-1]),
            one.index_files(None, paths[2:]),
            other.remove_files(None, ["nothing.md"]),
        )
    incremental = await world.snapshot()
    await one.rebuild(Wish(None, is_forced=True), ignore_progress)
    assert await world.snapshot() == incremental


async def _a_missing_root_takes_nothing_away(world: World) -> None:
    world.write("a.md", "слова")
    await world.index().reconcile()
    world.root.rename(world.root.with_name("elsewhere"))
    with pytest.raises(Refused):
        await world.index().reconcile()
    with pytest.raises(Refused):
        await world.index().rebuild(Wish(), ignore_progress)
    assert (await world.search("слова")).total_chunks == 1


async def _documents_are_listed_by_how_their_path_or_name_begins(world: World) -> None:
    for path in ("guides/Rent.md", "guides/Оренда.md", "rules.md", "users/7/rent.md"):
        world.write(path, f"слова {path}")
    world.write("report.md", b"\0\0")
    index = world.index()
    await index.reconcile()
    active = await index.require_active()

    async def listed(owner: int | None, beginning: str) -> list[str]:
        return list(await world.store.list_paths(active.id, owner, beginning))

    assert await listed(None, "r") == ["guides/Rent.md", "rules.md"]
    assert await listed(None, "GUIDES/о") == ["guides/Оренда.md"]
    assert await listed(None, "оРЕНДА") == ["guides/Оренда.md"]
    assert await listed(None, "uides") == []
    assert await listed(None, "g%") == []
    assert await listed(7, "") == ["rent.md"]


CHECKS: Final[dict[str, Check]] = {
    name.removeprefix("_"): check
    for name, check in list(globals().items())
    if name.startswith("_") and asyncio.iscoroutinefunction(check) and name not in ("_go_on", "_until_asked")
}
"""Each check by its sentence."""
