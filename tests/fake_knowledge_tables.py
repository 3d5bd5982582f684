"""The rows of a knowledge index in memory."""

from collections import defaultdict

from msgspec import Struct
from msgspec.structs import replace

from vmk_mcp.knowledge.records import ChunkDraft, Generation, StoredFile, Vectors


class Chunk(Struct):
    """A chunk of a file, and its vector."""

    id: int
    file_id: int
    draft: ChunkDraft
    vector: Vectors


class Tables:
    """All rows; copied before a transaction and put back where it fails."""

    def __init__(self) -> None:
        self.generations: dict[int, Generation] = {}
        self.files: dict[int, tuple[int, StoredFile]] = {}
        self.chunks: dict[int, Chunk] = {}
        self.touched: defaultdict[int, set[tuple[int | None, str]]] = defaultdict(set)
        self.next_id = 1

    def new_id(self) -> int:
        self.next_id += 1
        return self.next_id

    def of(self, generation: int, owner: int | None) -> list[StoredFile]:
        """Give an owner's files, by path."""
        found = [file for of, file in self.files.values() if of == generation and file.owner == owner]
        return sorted(found, key=lambda file: file.path)

    def chunks_of(self, file_id: int) -> list[Chunk]:
        """Give a file's chunks, in order."""
        found = [chunk for chunk in self.chunks.values() if chunk.file_id == file_id]
        return sorted(found, key=lambda chunk: (chunk.draft.ordinal, chunk.id))

    def in_generation(self, generation: int) -> list[Chunk]:
        """Give all chunks of a generation, by id."""
        return [one for one in self.chunks.values() if self.files[one.file_id][0] == generation]

    def add_chunk(self, id_: int, file_id: int, draft: ChunkDraft, vector: Vectors) -> None:
        """Hold a chunk of a file."""
        self.chunks[id_] = Chunk(id_, file_id, draft, vector)

    def note_change(self, generation: int, owner: int | None, path: str) -> None:
        """Raise the revision, and have a generation that is being made look at the file again."""
        active = self.generations[generation]
        self.generations[generation] = replace(active, revision=active.revision + 1)
        for other in self.generations.values():
            if active.state == "active" and other.state == "building":
                self.touched[other.id].add((owner, path))
