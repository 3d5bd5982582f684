"""How far a file has been loaded, kept in a file of ours so that a later run goes on there.

A checkpoint is written after its rows were committed, so it may lag behind the table but never run ahead
of it; rows that are written twice are the same the second time. It is found by a digest of the file's
content, the table's identity and the options, so that a changed file, another table or another mapping
begins anew; and before it is trusted, a few of the listings that it counts as written are looked for.
"""

import contextlib
import hashlib
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, field

from vmk_mcp.listings.loading.tally import Tally

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
        """Keep the checkpoint in place of the last one, whole or not at all."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        partial = self._path.with_suffix(".partial")
        partial.write_bytes(msgspec.json.encode(checkpoint))
        partial.replace(self._path)

    def remove(self) -> None:
        """Forget it: the file is loaded."""
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
