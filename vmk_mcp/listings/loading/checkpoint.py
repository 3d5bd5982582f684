"""How far a file has been loaded, kept in a file of ours so that a later run goes on there.

A checkpoint is written after its rows were committed, so it may lag behind the table but never run ahead
of it; rows that are written twice are the same the second time. It is found by a digest of the file's
content, the table's identity and the options, so that a changed file, another table or another mapping
begins anew; and before it is trusted, a few of the listings that it counts as written are looked for.
"""

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, field

from vmk_mcp.errors import StartError
from vmk_mcp.listings.loading.tally import Tally
from vmk_mcp.private_files import write_private

_MOST_WITNESSES: Final = 256


class Checkpoint(Struct):
    """What is committed.

    Attributes:
        tally: of the rows up to here; `tally.read` of them are to be skipped.
        error_bytes: length of the file of refused rows.
        witnesses: ids of listings that were written, spread over the rows.
    """

    tally: Tally = field(default_factory=Tally)
    error_bytes: int = 0
    witnesses: list[int] = field(default_factory=list)
    seen: int = 0
    every: int = 1

    def add_witness(self, listing_id: int) -> None:
        """Take note of a written listing of each batch, of fewer batches as they become many."""
        if self.seen % self.every == 0:
            self.witnesses.append(listing_id)
        self.seen += 1
        if len(self.witnesses) > _MOST_WITNESSES:
            self.witnesses = self.witnesses[::2]
            self.every *= 2


class CheckpointFile:
    """The checkpoint of one load.

    Args:
        folder: of all checkpoints; made when it is first needed.
        marks: all by which this load is told from others.
    """

    def __init__(self, folder: Path, *marks: str) -> None:
        self._path = (
            folder / f"{hashlib.blake2b(chr(0).join(marks).encode(), digest_size=16).hexdigest()}.json"
        )

    def read(self) -> Checkpoint | None:
        """Give the checkpoint, or None where there is none that can be read."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Checkpoint)
        except (OSError, msgspec.DecodeError):
            return None

    def write(self, checkpoint: Checkpoint) -> None:
        """Keep the checkpoint in place of the last one, whole or not at all.

        Raises:
            StartError: the disk is full or the folder may not be written.
        """
        with self._told():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_private(self._path, msgspec.json.encode(checkpoint))

    def remove(self) -> None:
        """Forget it: the file is loaded. Raises `StartError` where the folder may not be written."""
        with self._told():
            self._path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StartError(
                f"How far the file is loaded cannot be noted in {self._path.parent}: {error.strerror}.",
                hint="What was committed is in. Mend that folder of DATA_DIR and load the same file again.",
            ) from error
