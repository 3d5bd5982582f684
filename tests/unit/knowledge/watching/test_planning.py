"""What the watcher decides to send, and what it remembers of the answers."""

from collections.abc import Mapping

import pytest

from vmk_mcp.knowledge.watching.model import (
    Batch,
    Memory,
    Operation,
    Plan,
    Remembered,
    Scan,
    Scope,
    SeenFile,
    Standing,
    Verdict,
)
from vmk_mcp.knowledge.watching.planning import (
    MAX_CONTENT_BYTES,
    MAX_FILES,
    MAX_PATH_BYTES,
    compare,
    cut_batches,
    enter_generation,
    halve,
    note_sent,
    note_verdicts,
)

INDEXED = Standing.INDEXED


def seen(*paths: str, sha256: str = "a", size: int = 1) -> dict[str, SeenFile]:
    return {path: SeenFile(sha256, size) for path in paths}


def remember(files: Mapping[str, Remembered]) -> Memory:
    return Memory(scope=Scope("root", "url"), generation="g", files=dict(files))


def test_new_changed_and_gone_files_are_told_apart_and_the_rest_is_left_alone() -> None:
    scan = Scan(seen("new", "same") | seen("changed", sha256="b"))
    memory = remember({path: Remembered("a", INDEXED) for path in ("same", "changed", "gone")})
    assert compare(scan, memory, retries_failed=False) == Plan(("new",), ("changed",), ("gone",))


def test_what_is_hidden_is_not_gone() -> None:
    known = {path: Remembered("a", INDEXED) for path in ("a/b/c.md", "a.md", "ab.md", "d.md")}
    scan = Scan(seen("ab.md"), hidden=frozenset({"a", "d.md"}))
    assert compare(scan, remember(known), retries_failed=False).gone == ("a.md",)
    assert compare(Scan({}, hidden=frozenset({""})), remember(known), retries_failed=False).is_empty


def test_a_file_whose_outcome_is_not_known_is_sent_again_or_deleted() -> None:
    memory = remember({"a": Remembered(), "gone": Remembered()})
    assert compare(Scan(seen("a")), memory, retries_failed=False) == Plan((), ("a",), ("gone",))


def test_what_was_skipped_or_failed_is_sent_again_when_it_changes() -> None:
    memory = remember({path: Remembered("a", Standing(path)) for path in ("skipped", "failed")})
    same, other = Scan(seen("skipped", "failed")), Scan(seen("skipped", "failed", sha256="b"))
    assert compare(same, memory, retries_failed=False).is_empty
    assert compare(same, memory, retries_failed=True).changed == ("failed",)
    assert compare(other, memory, retries_failed=False).changed == ("failed", "skipped")


def test_a_file_that_could_not_be_deleted_is_deleted_when_failures_are_tried_again() -> None:
    memory = remember({"a": Remembered("", Standing.FAILED), "b": Remembered("x", Standing.FAILED)})
    assert compare(Scan({}), memory, retries_failed=False).gone == ("b",)
    assert compare(Scan({}), memory, retries_failed=True).gone == ("a", "b")


def test_new_files_are_sent_before_changed_and_gone_ones() -> None:
    plan = Plan(("renamed",), ("changed",), ("old",))
    batches = list(cut_batches(plan, seen("renamed", "changed"), set()))
    assert batches == [
        Batch(Operation.ADD, ("renamed",)),
        Batch(Operation.UPDATE, ("changed",)),
        Batch(Operation.DELETE, ("old",)),
    ]


@pytest.mark.parametrize(
    ("files", "most"),
    [
        (seen(*(f"{n:04}" for n in range(MAX_FILES * 3))), MAX_FILES),
        (seen(*(f"{n:04}" for n in range(10)), size=MAX_CONTENT_BYTES // 2), 2),
        (seen(*(f"{n:04}" for n in range(3)), size=MAX_CONTENT_BYTES * 9), 1),
        (seen(*(f"{n:04}" + "я" * (MAX_PATH_BYTES // 8) for n in range(9))), 3),
    ],
    ids=["files", "content", "a file above the bound", "paths"],
)
def test_batches_are_bounded_and_hold_each_file_once(files: dict[str, SeenFile], most: int) -> None:
    batches = list(cut_batches(Plan(new=tuple(files)), files, set()))
    assert max(len(batch.paths) for batch in batches) == most
    assert [path for batch in batches for path in batch.paths] == list(files)


def test_suspects_come_last_and_one_by_one() -> None:
    plan = Plan(("a", "b", "c"), ("d",), ("e", "f"))
    batches = list(cut_batches(plan, seen("a", "b", "c", "d"), {"a", "c", "f"}))
    assert [batch.paths for batch in batches] == [("b",), ("d",), ("e",), ("a",), ("c",), ("f",)]


def test_a_batch_is_halved_without_losing_a_file() -> None:
    first, second = halve(Batch(Operation.ADD, ("a", "b", "c")))
    assert (first.paths, second.paths) == (("a",), ("b", "c"))


def test_what_the_service_read_counts_and_not_what_was_seen() -> None:
    batch = Batch(Operation.ADD, ("a", "b"))
    verdicts = [Verdict("a", INDEXED, sha256="later"), Verdict("b", Standing.SKIPPED, reason="why")]
    memory = note_verdicts(remember({}), batch, verdicts, Scan(seen("a", "b")))
    assert memory.files == {"a": Remembered("later", INDEXED), "b": Remembered("a", Standing.SKIPPED, "why")}


def test_files_are_unsure_from_before_their_call_until_the_service_speaks_of_them() -> None:
    batch = Batch(Operation.UPDATE, ("a", "b", "c"))
    memory = note_sent(remember({"a": Remembered("a", INDEXED)}), batch)
    verdicts = [Verdict("b", Standing.SENT, reason="later"), Verdict("foreign", INDEXED)]
    memory = note_verdicts(memory, batch, verdicts, Scan(seen("a", "b", "c")))
    assert memory.files == {path: Remembered() for path in ("a", "b", "c")}


def test_a_file_is_forgotten_once_its_deletion_is_confirmed() -> None:
    batch = Batch(Operation.DELETE, ("a", "b", "c"))
    known = {path: Remembered("a", INDEXED) for path in batch.paths}
    memory = note_sent(remember(known), batch)
    assert memory.files == known
    verdicts = [Verdict("a", INDEXED), Verdict("b", Standing.FAILED, reason="no")]
    memory = note_verdicts(memory, batch, verdicts, Scan({}))
    assert memory.files == {"b": Remembered("", Standing.FAILED, "no"), "c": Remembered("a", INDEXED)}


def test_in_another_generation_nothing_is_confirmed_but_all_paths_are_kept() -> None:
    memory = enter_generation(remember({"a": Remembered("a", INDEXED)}), "next")
    assert (memory.generation, memory.files) == ("next", {"a": Remembered()})
