"""The watcher when calls fail or it is ended: nothing is lost, and one file holds up no other."""

import asyncio
from pathlib import Path

import pytest

from tests.watcher_stage import Stage
from vmk_mcp.client import ClientError, NotLetIn, RequestRejected, ServerUnreachable, ToolFailed
from vmk_mcp.client_messages import ToolFailure
from vmk_mcp.errors import StartError
from vmk_mcp.knowledge.watching.line import NotDone
from vmk_mcp.knowledge.watching.model import Standing, Verdict
from vmk_mcp.knowledge.watching.trigger import Reason
from vmk_mcp.knowledge.watching.watcher import FULL_SCAN_S, LONGEST_PAUSE_S

UNREACHABLE = ServerUnreachable("no server answers")
REFUSED = NotLetIn("HTTP 429")


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


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
    stage.write(f4="other", f5="other")
    stage.line.sent.clear()
    await stage.settle()
    assert [batch.paths for batch in stage.line.sent] == [("f4.md", "f5.md")]


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
