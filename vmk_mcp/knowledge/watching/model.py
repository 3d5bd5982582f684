"""What the watcher sees, remembers and sends."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct


class SeenFile(Struct, frozen=True):
    """A document as it lies in the folder.

    Attributes:
        sha256: of its bytes, hexadecimal; of one that is too large to be indexed, of its size and time alone.
        size: in bytes.
    """

    sha256: str
    size: int


class Scan(Struct, frozen=True):
    """One look at the whole folder; paths are relative to it, with `/` between their parts.

    Attributes:
        files: documents that could be read.
        hidden: files and folders of which nothing is known, since they could not be read; "" is the root.
        nameless: how many files have a name that is no UTF-8, so that no message can carry it.
        is_bare: nothing at all lies there, as where a volume is not mounted; nothing is concluded from that.
    """

    files: Mapping[str, SeenFile]
    hidden: frozenset[str] = frozenset()
    nameless: int = 0
    is_bare: bool = False

    def hides(self, path: str) -> bool:
        """Say whether `path` may be there without having been seen."""
        if self.is_bare:
            return True
        parts = path.split("/")
        return any("/".join(parts[:count]) in self.hidden for count in range(len(parts) + 1))


class Standing(StrEnum):
    """How a remembered file stands with the service.

    A file is `sent` before its call and for as long as its outcome is not known: it may be in the index.
    """

    SENT = "sent"
    INDEXED = "indexed"
    SKIPPED = "skipped"
    FAILED = "failed"


class Remembered(Struct, frozen=True, omit_defaults=True):
    """What was last heard of a file.

    Attributes:
        sha256: content for which that is true; "" where there is none, so that any content differs from it.
        reason: the service's words for a file that it skipped or that failed.
    """

    sha256: str = ""
    standing: Standing = Standing.SENT
    reason: str = ""


class Scope(Struct, frozen=True):
    """Of which index a memory speaks.

    Attributes:
        root: the folder of the documents.
        url: the service's MCP endpoint.
        user_id: whose folder, or None for the shared one.
    """

    root: str
    url: str
    user_id: int | None = None


class Memory(Struct, frozen=True, kw_only=True):
    """All that the watcher remembers from start to start.

    Attributes:
        generation: generation of the index in which the files were confirmed, or "" for none.
    """

    scope: Scope
    generation: str = ""
    files: dict[str, Remembered] = {}


class Operation(StrEnum):
    """A tool of the service that takes paths."""

    ADD = "add_vector_documents"
    UPDATE = "update_vector_documents"
    DELETE = "delete_vector_documents"


class Batch(Struct, frozen=True):
    """One call: what to do with which files."""

    operation: Operation
    paths: tuple[str, ...]


class Plan(Struct, frozen=True):
    """What differs between the folder and what is remembered; paths in order."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Nothing differs."""
        return not (self.new or self.changed or self.gone)


class Verdict(Struct, frozen=True):
    """What the service says of one file of a batch.

    Attributes:
        standing: `sent` for what may succeed later, unchanged.
        sha256: content that the service read, or "" where it does not say.
    """

    path: str
    standing: Standing
    sha256: str = ""
    reason: str = ""


class IndexStanding(Struct, frozen=True):
    """How the index stands.

    Attributes:
        generation: the one that is served.
        files: how many it holds.
        failed: how many it knows that could not be indexed.
    """

    generation: str
    files: int
    failed: int = 0
