"""The watcher over a real folder, and a service that breaks on demand."""

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.fake_index_line import FakeIndexLine, hashes_of
from vmk_mcp.client import ClientError, NotLetIn, RequestRejected, ServerUnreachable, ToolFailed
from vmk_mcp.client_messages import ToolFailure
from vmk_mcp.errors import StartError
from vmk_mcp.knowledge.watching.line import NotDone
from vmk_mcp.knowledge.watching.model import Memory, Operation, Remembered, Scope, Standing, Verdict
from vmk_mcp.knowledge.watching.scanning import FolderScanner
from vmk_mcp.knowledge.watching.trigger import Reason
from vmk_mcp.knowledge.watching.watcher import FULL_SCAN_S, LONGEST_PAUSE_S, Voice, Watcher

UNREACHABLE = ServerUnreachable("no server answers")
REFUSED = NotLetIn("HTTP 429")


class Keeper:
    """Keeps the memory as a file would: what was saved last is there after a kill."""

    def __init__(self) -> None:
        self.saved: Memory | None = None
        self.fault: StartError | None = None

    def save(self, memory: Memory) -> None:
        if self.fault is not None:
            raise self.fault
        self.saved = memory


class Stage:
    """A folder, a service and a watcher between them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.line = FakeIndexLine(folder)
        self.keeper = Keeper()
        self.said: list[str] = []
        self.shown: list[tuple[float, int]] = []
        self.start()

    def start(self) -> None:
        """Start a watcher as after a kill: with what was saved."""
        memory = self.keeper.saved or Memory(scope=Scope(str(self.folder), "url"))
        scanner = FolderScanner(self.folder, lambda: 10**20, is_shared=True)
        voice = Voice(self.said.append, lambda done, total, words: self.shown.append((done, total)))
        self.watcher = Watcher(scanner, self.line, self.keeper, memory, voice)

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.folder / f"{name}.md").write_text(text)

    async def settle(self, *, is_full: bool = False) -> None:
        await self.watcher.settle(is_full=is_full)

    def assert_true(self) -> None:
        """Check that index and memory are as the folder is."""
        true = hashes_of(self.folder)
        known = self.watcher.memory.files
        assert self.line.index == true
        assert {path: one.sha256 for path, one in known.items() if one.standing is Standing.INDEXED} == true
        assert self.keeper.saved == self.watcher.memory


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


@pytest.mark.parametrize("does_before_failing", [False, True])
@pytest.mark.parametrize(
    "fault",
    [
        UNREACHABLE,
        REFUSED,
        RequestRejected("internal error", code=-32603),
        ToolFailed(ToolFailure("no Postgres", "store_unavailable", retryable=True)),
    ],
)
async def test_a_call_that_failed_is_made_again_whether_or_not_it_was_done(
    stage: Stage, fault: ClientError, *, does_before_failing: bool
) -> None:
    stage.write(a="1", b="2")
    stage.line.faults, stage.line.does_before_failing = [fault], does_before_failing
    with pytest.raises(type(fault)):
        await stage.settle()
    assert {known.standing for known in stage.watcher.memory.files.values()} == {Standing.SENT}
    (stage.folder / "a.md").unlink()
    await stage.settle()
    stage.assert_true()


async def test_a_file_that_is_gone_after_a_kill_in_its_call_leaves_nothing_stale(stage: Stage) -> None:
    stage.write(a="1")
    stage.line.faults, stage.line.does_before_failing = [UNREACHABLE], True
    with pytest.raises(ServerUnreachable):
        await stage.settle()
    assert stage.line.index
    (stage.folder / "a.md").unlink()
    stage.start()
    await stage.settle()
    stage.assert_true()


async def test_one_bad_file_holds_up_no_other(stage: Stage) -> None:
    stage.write(**{f"f{n}": str(n) for n in range(7)})
    killer = ServerUnreachable("it died")
    stage.line.faults = [killer]
    with pytest.raises(ServerUnreachable):
        await stage.settle()
    stage.write(g="healthy")
    stage.line.faults = [None, None, None, killer]
    with pytest.raises(ServerUnreachable):
        await stage.settle()
    assert set(stage.line.index) == {"g.md", "f0.md", "f1.md"}
    await stage.settle()
    stage.assert_true()


async def test_a_call_that_is_refused_as_a_whole_is_halved_down_to_the_file_at_fault(stage: Stage) -> None:
    stage.write(a="1", b="2", c="3")
    wrong = ToolFailed(ToolFailure("The path is no path.", "invalid_arguments"))
    stage.line.faults = [wrong, wrong]
    await stage.settle()
    assert stage.watcher.memory.files["a.md"].standing is Standing.FAILED
    assert set(stage.line.index) == {"b.md", "c.md"}
    assert "failed: a.md: The path is no path." in stage.said
    await stage.settle()
    assert set(stage.line.index) == {"b.md", "c.md"}
    await stage.settle(is_full=True)
    stage.assert_true()


async def test_a_file_that_failed_is_left_until_it_changes_or_a_full_scan(stage: Stage) -> None:
    stage.write(a="1", b="2")
    stage.line.failing["a.md"] = Verdict("a.md", Standing.FAILED, reason="It is binary.")
    await stage.settle()
    stage.line.failing.clear()
    await stage.settle()
    assert "a.md" not in stage.line.index
    stage.write(a="3")
    await stage.settle()
    stage.assert_true()


async def test_a_file_that_may_succeed_later_is_tried_until_it_does(stage: Stage) -> None:
    stage.write(a="1", b="2")
    stage.line.failing["a.md"] = Verdict("a.md", Standing.SENT, reason="The embedder is down.")
    with pytest.raises(NotDone, match="1 files could not be indexed yet: The embedder is down"):
        await stage.settle()
    assert "b.md" in stage.line.index
    stage.line.failing.clear()
    await stage.settle()
    stage.assert_true()


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


async def test_a_memory_that_cannot_be_kept_stops_a_call_before_it_is_made(stage: Stage) -> None:
    stage.write(a="1")
    stage.keeper.fault = StartError("The disk is full.")
    with pytest.raises(StartError):
        await stage.settle()
    assert stage.line.sent == []
    stage.keeper.fault = None
    await stage.settle()
    stage.assert_true()


async def test_after_a_failure_the_line_is_opened_anew(stage: Stage) -> None:
    stage.line.closed_to = NotLetIn("the token was revoked")
    with pytest.raises(NotLetIn):
        await stage.settle()
    stage.line.closed_to = None
    await stage.settle()
    await stage.settle()
    assert stage.line.opened == 2


async def test_it_pauses_longer_and_longer_and_goes_on_once_the_service_is_there(stage: Stage) -> None:
    stage.write(a="1")
    stage.line.closed_to = UNREACHABLE
    pauses: list[float] = []
    done = asyncio.Event()

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 9:
            stage.line.closed_to = None

    async def wait(at_most_s: float) -> Reason:
        assert at_most_s == FULL_SCAN_S
        done.set()
        return await asyncio.Future()

    keeping = asyncio.create_task(stage.watcher.keep(wait, pause))
    await done.wait()
    keeping.cancel()
    assert pauses == [1, 2, 4, 8, 16, 32, LONGEST_PAUSE_S, LONGEST_PAUSE_S, LONGEST_PAUSE_S]
    assert stage.said[0] == "no server answers; tried again in 1 s."
    stage.assert_true()


async def test_changes_go_on_being_indexed_beside_a_file_that_may_succeed_later(stage: Stage) -> None:
    stage.write(a="1")
    stage.line.failing["a.md"] = Verdict("a.md", Standing.SENT, reason="No right to read it.")
    waits: list[float] = []
    done = asyncio.Event()

    async def wait(at_most_s: float) -> Reason:
        waits.append(at_most_s)
        if len(waits) == 2:
            stage.write(b="2")
        if len(waits) == 3:
            assert "b.md" in stage.line.index
            stage.line.failing.clear()
        if at_most_s == FULL_SCAN_S:
            done.set()
            await asyncio.Future()
        return Reason.CHANGE

    keeping = asyncio.create_task(stage.watcher.keep(wait, asyncio.sleep))
    await done.wait()
    keeping.cancel()
    assert waits == [1, 2, 4, FULL_SCAN_S]
    stage.assert_true()


async def test_a_watcher_that_is_ended_in_a_call_remembers_what_was_confirmed(stage: Stage) -> None:
    stage.write(**{f"f{n:03}": str(n) for n in range(70)})
    real_send, is_held = stage.line.send, asyncio.Event()

    async def send_once(*given: object) -> object:
        if stage.line.sent:
            is_held.set()
            await asyncio.Future()
        return await real_send(*given)  # type: ignore[arg-type]  # handed on as it came

    stage.line.send = send_once  # type: ignore[method-assign, assignment]  # the second call never returns
    settling = asyncio.create_task(stage.settle())
    await is_held.wait()
    settling.cancel()
    await asyncio.wait([settling])
    assert stage.keeper.saved is not None
    counts = [known.standing for known in stage.keeper.saved.files.values()]
    assert (counts.count(Standing.INDEXED), counts.count(Standing.SENT)) == (64, 6)


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
