"""What a load writes beside the table, on disks that take nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from vmk_mcp.errors import InvalidArguments, StartError
from vmk_mcp.listings.loading.checkpoint import Checkpoint, CheckpointFile
from vmk_mcp.listings.loading.refusals import RefusalFile, RefusedRow

FULL = Path("/dev/full")
SHORT = RefusedRow(1, (), {"text": "x"})
LONG = RefusedRow(1, (), {"text": "x" * 100_000})


@contextmanager
def on_full_disk(folder: Path) -> Iterator[RefusalFile]:
    """Open a file of refused rows on a disk that has no room from then on."""
    with RefusalFile(folder / "refused.jsonl", 0) as file:
        file._file.close()
        file._file = FULL.open("ab")
        yield file


def test_a_checkpoint_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    file = CheckpointFile(tmp_path / "file", "a")
    with pytest.raises(StartError, match="cannot be noted"):
        file.write(Checkpoint())
    with pytest.raises(StartError, match="cannot be noted"):
        file.remove()
    assert file.read() is None


def test_a_checkpoint_that_was_never_written_can_be_forgotten(tmp_path: Path) -> None:
    CheckpointFile(tmp_path, "a").remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("row", [SHORT, LONG], ids=["written at the end", "written at once"])
def test_refused_rows_on_a_full_disk_are_told_in_words(tmp_path: Path, row: RefusedRow) -> None:
    with pytest.raises(InvalidArguments, match="No space left") as caught, on_full_disk(tmp_path) as file:
        file.add(row)
    assert caught.value.field == "errors"


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a disk that is always full")
def test_what_ended_the_load_is_told_rather_than_the_full_disk(tmp_path: Path) -> None:
    def load() -> None:
        with on_full_disk(tmp_path) as file:
            file.add(SHORT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        load()


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a disk that is always full")
def test_rows_that_are_to_be_kept_on_a_full_disk_are_told_in_words(tmp_path: Path) -> None:
    def load() -> None:
        with on_full_disk(tmp_path) as file:
            file.add(SHORT)
            file.flush()

    with pytest.raises(InvalidArguments, match="No space left"):
        load()


def test_a_file_that_cannot_be_shortened_is_refused_and_closed() -> None:
    with pytest.raises(InvalidArguments, match="cannot be written to"), RefusalFile(Path("/dev/null"), 0):
        pass
