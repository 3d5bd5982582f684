"""`vmk-mcp watch`: what it is told, what it finds out before it watches, and how it ends."""

from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from tests.fake_index_line import FakeIndexLine
from vmk_mcp.bootstrap import watching
from vmk_mcp.bootstrap.watching import WatchOrder
from vmk_mcp.cli.app import main
from vmk_mcp.client import ServerUnreachable
from vmk_mcp.knowledge.watching.memory import MemoryFile
from vmk_mcp.knowledge.watching.model import Standing, Verdict

STATE: Final = "vector_search_hashes.json"


class Place:
    """A folder to watch, a data folder and a token file."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = folder / "documents"
        self.state_dir = folder / "state"
        self.token_file = folder / "watcher.token"
        self.root.mkdir()
        self.token_file.write_text("made-up\n")
        self.token_file.chmod(0o600)
        self.line = FakeIndexLine(self.root)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("DATA_DIR", str(self.state_dir))
        monkeypatch.setattr(watching, "McpIndexLine", lambda connect, user_id: self.line)

    def once(self, *options: str) -> Result:
        words = ["--root", str(self.root), "--token-file", str(self.token_file), "--once", *options]
        return CliRunner().invoke(main, ["watch", *words])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def test_once_brings_the_index_up_to_date_and_remembers_it_in_the_data_folder(place: Place) -> None:
    (place.root / "a.md").write_text("words")
    result = place.once()
    assert result.exit_code == 0, result.stderr
    assert set(place.line.index) == {"a.md"}
    assert (place.state_dir / STATE).stat().st_mode & 0o777 == 0o600
    assert place.once().exit_code == 0
    assert len(place.line.sent) == 1


def test_a_file_that_cannot_be_indexed_gives_status_1(place: Place) -> None:
    (place.root / "a.md").write_text("words")
    place.line.failing["a.md"] = Verdict("a.md", Standing.FAILED, reason="It is binary.")
    result = place.once()
    assert result.exit_code == 1
    assert "1 files could not be indexed." in result.stderr


def test_a_folder_in_which_nothing_lies_empties_the_index_only_where_it_may(place: Place) -> None:
    (place.root / "a.md").write_text("words")
    place.once()
    (place.root / "a.md").unlink()
    result = place.once()
    assert (result.exit_code, "perhaps it is not mounted" in result.stderr) == (1, True)
    assert set(place.line.index) == {"a.md"}
    assert place.once("--let-empty").exit_code == 0
    assert place.line.index == {}


def test_a_users_memory_is_a_file_of_its_own(place: Place) -> None:
    (place.root / "users" / "7").mkdir(parents=True)
    assert place.once("--user-id", "7").exit_code == 0
    assert [path.name for path in place.state_dir.glob("*.json")] == ["vector_search_hashes.7.json"]


def test_a_service_that_does_not_come_in_time_is_told_of(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_PATIENCE_S", 0)
    place.line.closed_to = ServerUnreachable("no server answers at X", hint="Start it.")
    result = place.once()
    assert (result.exit_code, "no server answers at X" in result.stderr) == (1, True)


def test_a_second_watcher_of_the_same_memory_is_refused(place: Place) -> None:
    place.state_dir.mkdir()
    first = MemoryFile(place.state_dir / STATE)
    first.take()
    result = place.once()
    first.release()
    assert (result.exit_code, "Another watcher" in result.stderr) == (1, True)


def test_without_a_folder_or_a_token_it_says_what_to_name(place: Place) -> None:
    result = CliRunner().invoke(main, ["watch", "--once"])
    assert (result.exit_code, "--root" in result.stderr) == (2, True)
    place.token_file.unlink()
    result = place.once()
    assert (result.exit_code, "No token can be read" in result.stderr) == (2, True)
    place.root.rmdir()
    result = place.once()
    assert (result.exit_code, "There is no folder" in result.stderr) == (2, True)


def test_a_token_that_others_may_read_is_warned_of(place: Place) -> None:
    place.token_file.chmod(0o644)
    result = place.once()
    assert "chmod 600" in result.stderr
    assert "made-up" not in result.stderr


def test_what_is_left_out_is_as_it_is_set(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    orders: list[WatchOrder] = []
    monkeypatch.setattr("vmk_mcp.cli.watch.keep_watching", lambda order, voice: orders.append(order))
    monkeypatch.setenv("KB_PATH", str(place.root))
    monkeypatch.setenv("VMK_URL", "http://example.com:81")
    assert CliRunner().invoke(main, ["watch", "--poll"]).exit_code == 0
    assert orders == [
        WatchOrder(
            root=place.root,
            url="http://example.com:81/mcp",
            token_file=place.state_dir / "token",
            memory_file=place.state_dir / STATE,
            polls=True,
        )
    ]
