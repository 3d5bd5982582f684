"""The watcher over a real folder: what it sends, and that index and memory come out true."""

import shutil
from pathlib import Path

import pytest

from tests.watcher_stage import Stage
from vmk_mcp.knowledge.watching.model import Operation, Remembered, Standing, Verdict


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


async def test_the_index_follows_new_changed_renamed_and_removed_files(stage: Stage) -> None:
    stage.write(a="1", b="2", c="3")
    await stage.settle()
    stage.assert_true()
    (stage.folder / "a.md").rename(stage.folder / "z.md")
    (stage.folder / "b.md").unlink()
    stage.write(c="4")
    stage.line.sent.clear()
    await stage.settle()
    stage.assert_true()
    assert [(batch.operation, batch.paths) for batch in stage.line.sent] == [
        (Operation.ADD, ("z.md",)),
        (Operation.UPDATE, ("c.md",)),
        (Operation.DELETE, ("a.md", "b.md")),
    ]


async def test_nothing_is_sent_where_nothing_differs(stage: Stage) -> None:
    stage.write(a="1")
    (stage.folder / "picture.png").write_bytes(b"x")
    stage.line.failing["a.md"] = Verdict("a.md", Standing.SKIPPED, reason="It is no text.")
    await stage.settle(is_full=True)
    stage.line.sent.clear()
    stage.start()
    await stage.settle(is_full=True)
    assert stage.line.sent == []
    assert stage.watcher.memory.files["a.md"].standing is Standing.SKIPPED
    assert "picture.png" not in stage.watcher.memory.files


async def test_lines_tell_counts_and_paths_and_never_contents(stage: Stage) -> None:
    stage.write(a="secret words")
    (stage.folder / "odd\nname.md").write_text("secret words")
    await stage.settle()
    assert "2 files: 2 new, 0 changed, 0 gone." in stage.said
    assert 'add_vector_documents: 2 files: a.md, "odd\\nname.md".' in stage.said
    assert not [line for line in stage.said if "secret" in line or "\n" in line]
    assert stage.shown == [(0, 2), (2, 2)]


async def test_another_generation_is_filled_anew_and_what_is_gone_leaves_it(stage: Stage) -> None:
    stage.write(a="1", b="2")
    await stage.settle()
    (stage.folder / "b.md").unlink()
    stage.line.index, stage.line.generation = {"b.md": "old"}, "second"
    await stage.settle()
    stage.assert_true()
    assert stage.watcher.memory.generation == "second"


async def test_a_generation_that_changes_in_the_middle_of_a_round_is_filled_too(stage: Stage) -> None:
    stage.write(a="1")
    real_send = stage.line.send

    async def send_and_swap(*given: object) -> object:
        verdicts = await real_send(*given)  # type: ignore[arg-type]  # handed on as it came
        if len(stage.line.sent) == 1:
            stage.line.index, stage.line.generation = {}, "second"
        return verdicts

    stage.line.send = send_and_swap  # type: ignore[method-assign, assignment]  # a swap at the worst moment
    await stage.settle()
    stage.assert_true()


async def test_files_that_the_index_lost_are_sent_again_by_a_full_scan(stage: Stage) -> None:
    stage.write(a="1", b="2")
    await stage.settle()
    del stage.line.index["a.md"]
    await stage.settle(is_full=True)
    stage.assert_true()


async def test_files_that_only_the_index_knows_are_forgotten_after_the_memory_was_lost(stage: Stage) -> None:
    stage.write(a="1", b="2")
    await stage.settle()
    (stage.folder / "b.md").unlink()
    stage.keeper.saved = None
    stage.start()
    await stage.settle(is_full=True)
    assert stage.line.reindexed == 1
    stage.assert_true()


async def test_an_index_that_cannot_be_mended_is_gone_over_once_and_not_for_ever(stage: Stage) -> None:
    stage.write(a="1")
    reindex_nothing = stage.line.reindex

    async def reindex_and_keep_a_ghost(tell: object) -> None:
        await reindex_nothing(tell)  # type: ignore[arg-type]  # handed on as it came
        stage.line.index["ghost.md"] = "x"

    stage.line.index["ghost.md"] = "x"
    stage.line.reindex = reindex_and_keep_a_ghost  # type: ignore[method-assign]  # one that mends nothing
    await stage.settle(is_full=True)
    assert stage.line.reindexed == 1


async def test_a_folder_that_vanishes_empties_no_index_and_is_picked_up_when_it_is_back(stage: Stage) -> None:
    stage.write(a="1", b="2")
    await stage.settle()
    kept = stage.folder.with_name("kept")
    shutil.move(stage.folder, kept)
    await stage.settle(is_full=True)
    assert len(stage.line.index) == 2
    shutil.move(kept, stage.folder)
    (stage.folder / "a.md").unlink()
    await stage.settle()
    stage.assert_true()


async def test_a_content_that_the_service_read_later_is_compared_by_what_it_read(stage: Stage) -> None:
    stage.write(a="1")
    stage.line.failing["a.md"] = Verdict("a.md", Standing.INDEXED, sha256="of an edit that was taken back")
    await stage.settle()
    stage.line.failing.clear()
    assert stage.watcher.memory.files["a.md"] == Remembered(
        "of an edit that was taken back", Standing.INDEXED
    )
    await stage.settle()
    stage.assert_true()


async def test_thousands_of_files_at_once_are_sent_in_bounded_calls(stage: Stage) -> None:
    for n in range(3000):
        (stage.folder / f"{n}.md").write_text(str(n))
    await stage.settle()
    assert max(len(batch.paths) for batch in stage.line.sent) == 64
    stage.assert_true()


async def test_a_folder_in_which_nothing_lies_is_taken_for_one_that_is_not_mounted(stage: Stage) -> None:
    stage.write(a="1", b="2")
    await stage.settle()
    for path in stage.folder.iterdir():
        path.unlink()
    stage.line.sent.clear()
    for _ in range(2):
        await stage.settle(is_full=True)
    assert stage.line.sent == []
    assert set(stage.line.index) == {"a.md", "b.md"}
    assert stage.watcher.is_held_back
    assert "perhaps it is not mounted" in stage.said[-1]
    # A file of any name says that the folder is there.
    stage.write(a="1")
    await stage.settle()
    stage.assert_true()


async def test_a_folder_that_may_be_empty_empties_the_index(stage: Stage) -> None:
    stage.write(a="1")
    await stage.settle()
    for path in stage.folder.iterdir():
        path.unlink()
    stage.lets_empty = True
    stage.start()
    await stage.settle()
    stage.assert_true()
    assert not stage.watcher.is_held_back
    assert stage.line.index == {}


async def test_an_empty_folder_of_which_nothing_is_known_is_no_matter(stage: Stage) -> None:
    (stage.folder / ".keep").unlink()
    await stage.settle(is_full=True)
    assert not [line for line in stage.said if "mounted" in line]
