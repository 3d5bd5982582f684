"""What the watcher remembers from start to start."""

from pathlib import Path

import pytest

from vmk_mcp.errors import StartError
from vmk_mcp.knowledge.watching.memory import MemoryFile
from vmk_mcp.knowledge.watching.model import Memory, Remembered, Scope, Standing

SCOPE = Scope("documents", "http://127.0.0.1:8080/mcp")
FILES = {
    "a.md": Remembered("ab", Standing.INDEXED),
    "назва\n.bin": Remembered("cd", Standing.SKIPPED, "Not a text."),
    "sent.md": Remembered(),
}
MEMORY = Memory(scope=SCOPE, generation="g", files=FILES)


def test_what_is_saved_comes_back_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "hashes.json"
    keeper = MemoryFile(path)
    keeper.take()
    keeper.save(MEMORY)
    assert keeper.load(SCOPE) == (MEMORY, "")
    assert path.stat().st_mode & 0o777 == 0o600
    assert {entry.name for entry in path.parent.iterdir()} == {"hashes.json", "hashes.json.lock"}


def test_without_a_file_nothing_is_remembered_and_nothing_is_said(tmp_path: Path) -> None:
    assert MemoryFile(tmp_path / "hashes.json").load(SCOPE) == (Memory(scope=SCOPE), "")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe\x00", b'{"scope": {"root": "documents"}}', b'{"files": {"a": 1}}'],
)
def test_a_damaged_file_is_as_good_as_none_and_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "hashes.json"
    path.write_bytes(content)
    memory, said = MemoryFile(path).load(SCOPE)
    assert memory == Memory(scope=SCOPE)
    assert "hashes.json is damaged" in said


def test_every_cut_of_a_file_is_damaged_and_never_half_believed(tmp_path: Path) -> None:
    path = tmp_path / "hashes.json"
    keeper = MemoryFile(path)
    keeper.save(MEMORY)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert keeper.load(SCOPE)[0].files == {}


@pytest.mark.parametrize(
    "other",
    [Scope("elsewhere", SCOPE.url), Scope(SCOPE.root, "http://other/mcp"), Scope(SCOPE.root, SCOPE.url, 7)],
)
def test_the_memory_of_another_folder_service_or_user_is_not_believed(tmp_path: Path, other: Scope) -> None:
    keeper = MemoryFile(tmp_path / "hashes.json")
    keeper.save(MEMORY)
    memory, said = keeper.load(other)
    assert memory == Memory(scope=other)
    assert "of another folder or service" in said


def test_a_second_watcher_of_the_same_memory_is_refused_until_the_first_lets_go(tmp_path: Path) -> None:
    first, second = MemoryFile(tmp_path / "hashes.json"), MemoryFile(tmp_path / "hashes.json")
    first.take()
    with pytest.raises(StartError, match=r"Another watcher keeps its memory in hashes\.json"):
        second.take()
    first.release()
    second.take()
    second.release()


def test_a_place_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keeper = MemoryFile(tmp_path / "file" / "hashes.json")
    with pytest.raises(StartError, match="cannot be written"):
        keeper.take()
    with pytest.raises(StartError, match="cannot be written"):
        keeper.save(MEMORY)
