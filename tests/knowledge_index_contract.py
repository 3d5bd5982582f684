"""What the index does with files, over the fake store and over Postgres alike."""

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

import pytest
from msgspec import UNSET

from tests.knowledge_making_contract import MAKING_CHECKS
from tests.knowledge_world import EVERYBODY, Check, Unwell, World, checks_of, until_asked
from vmk_mcp.errors import EmbeddingUnavailable
from vmk_mcp.knowledge.building import Wish
from vmk_mcp.knowledge.folders import Refused
from vmk_mcp.knowledge.model import VectorSearch
from vmk_mcp.knowledge.records import Generation, NearChunk, NearestQuery
from vmk_mcp.knowledge.service import KnowledgeService
from vmk_mcp.tool import ignore_progress


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


class ForgetfulVectors:
    """See `VectorStore`: finds nothing."""

    async def follow(self, generation: Generation) -> None:
        """See `VectorStore.follow`."""

    async def find_nearest(self, query: NearestQuery) -> Sequence[NearChunk]:
        """See `VectorStore.find_nearest`."""
        return []

    async def keep_only(self, generations: Collection[int]) -> None:
        """See `VectorStore.keep_only`."""

    async def close(self) -> None:
        """See `VectorStore.close`."""


async def _a_search_without_results_says_why(world: World) -> None:
    world.write("shared.md", "спільні слова")
    world.write("users/7/broken.md", b"\0")
    world.write("users/8/empty.md", "\n")
    await world.index().reconcile()
    for user, words in ((7, "files of which none"), (8, "no text in them"), (9, "Leave user_id out")):
        assert words in str((await world.search("слова", user)).message)
    assert (await world.search("слова")).message is UNSET
    forgetful = KnowledgeService(world.index(), world.store, ForgetfulVectors(), Unwell(), top_k=5)
    found = await forgetful.vector_search(VectorSearch(query="слова"), EVERYBODY)
    assert "none of its 1 pieces fits" in str(found.message)
    (world.root / "shared.md").unlink()
    await world.index().reconcile()
    assert str((await world.search("слова")).message).startswith(
        "The shared folder holds no indexed documents"
    )


async def _a_file_that_changes_while_it_is_read_ends_as_it_is(world: World) -> None:
    index = world.index()
    await index.reconcile()
    world.write("a.md", "перша редакція")
    world.embedder().hold()
    adding = asyncio.create_task(index.index_files(None, ["a.md"]))
    await until_asked(world.embedder())
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


async def _an_empty_root_takes_nothing_away_unless_nothing_was_indexed(world: World) -> None:
    await world.index().reconcile()
    world.write("a.md", "слова")
    index = world.index()
    await index.reconcile()
    (world.root / "a.md").unlink()
    with pytest.raises(Refused, match="perhaps it is not mounted"):
        await world.index().reconcile()
    with pytest.raises(Refused, match="perhaps it is not mounted"):
        await index.rebuild(Wish(), ignore_progress)
    assert (await world.search("слова")).total_chunks == 1
    # Who names a file means it.
    await index.remove_files(None, ["a.md"])
    await world.index().reconcile()
    world.write("users/7/a.md", "слова")
    await index.reconcile()
    (world.root / "users" / "7" / "a.md").unlink()
    await index.reconcile()
    assert (await world.search("слова", 7)).total_chunks == 0


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


async def _a_path_that_is_a_link_now_leaves_the_index_and_takes_no_other_along(world: World) -> None:
    outside = world.root.with_name("outside.md")
    outside.write_text("чужі слова")
    for path in ("docs/a.md", "b.md", "c.md"):
        world.write(path, f"слова {path}")
    index = world.index()
    await index.reconcile()
    (world.root / "docs").rename(world.root / "other")
    (world.root / "docs").symlink_to("other")
    for path in ("b.md", "c.md"):
        (world.root / path).unlink()
        (world.root / path).symlink_to(outside)
    world.embedded()
    await index.index_files(None, ["other/a.md"])
    assert world.embedded() == []
    _, (led_in, led_out) = await index.remove_files(None, ["docs/a.md", "b.md"])
    assert (led_in.status, led_out.status) == ("absent", "deleted")
    _, (refused,) = await index.index_files(None, ["c.md"])
    assert refused.status == "failed"
    _, (again,) = await index.remove_files(None, ["c.md"])
    assert "leads out" in str(again.reason)
    assert [hit.file_path for hit in (await world.search("слова")).results] == ["other/a.md"]


async def _what_was_indexed_of_a_path_leaves_when_it_leads_to_another_file(world: World) -> None:
    for path in ("a.md", "b.md"):
        world.write(path, f"слова {path}")
    index = world.index()
    await index.reconcile()
    (world.root / "a.md").unlink()
    (world.root / "a.md").symlink_to("b.md")
    _, (outcome,) = await index.index_files(None, ["a.md"])
    assert outcome.status == "unchanged"
    assert [hit.file_path for hit in (await world.search("слова")).results] == ["b.md"]


CHECKS: Final[dict[str, Check]] = {**checks_of(globals()), **MAKING_CHECKS}
"""Each check by its sentence."""
