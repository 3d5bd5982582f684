"""Files that only their owner may read, and locks on them."""

import stat
from pathlib import Path

import pytest

from vmk_mcp.private_files import FileLock, write_private


def test_a_private_file_is_for_its_owner_only_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"old")
    path.chmod(0o644)
    write_private(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"old")

    def fill_up(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fill_up)
    with pytest.raises(OSError, match="No space left"):
        write_private(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["", "turn.lock"])
def test_a_lock_is_held_by_one_alone_or_by_several_together(tmp_path: Path, name: str) -> None:
    one, other = FileLock(tmp_path / name), FileLock(tmp_path / name)
    assert one.try_exclusive()
    assert not other.try_exclusive()
    with pytest.raises(TimeoutError):
        other.take_exclusive(-1.0)
    one.release()
    one.take_shared()
    other.take_shared()
    assert not one.try_exclusive()
    other.release()
    assert one.try_exclusive()
    one.release()
