"""Arguments and rows of the family's SQL files."""

from msgspec import Struct

from vmk_mcp.knowledge.records import Generation, IndexPlan, Vectors


class GenerationRow(Struct, frozen=True):
    """A generation with its plan spread out."""

    id: int
    name: str
    state: str
    revision: int
    provider: str
    model: str
    dimensions: int
    chunker: str
    chunk_size: int
    chunk_overlap: int
    store: str
    root: str

    def as_generation(self) -> Generation:
        """Give it with its plan put together."""
        plan = IndexPlan(
            provider=self.provider,
            model=self.model,
            dimensions=self.dimensions,
            chunker=self.chunker,
            chunk_size=self.chunk_size,
            chunk_overlap=self.chunk_overlap,
            store=self.store,
            root=self.root,
        )
        return Generation(id=self.id, name=self.name, state=self.state, revision=self.revision, plan=plan)


class NewGeneration(Struct, frozen=True):
    """A generation to be begun."""

    name: str
    provider: str
    model: str
    dimensions: int
    chunker: str
    chunk_size: int
    chunk_overlap: int
    store: str
    root: str


class IndexName(Struct, frozen=True):
    """The name of the index in a database."""

    name: str


class ClaimedRoot(Struct, frozen=True):
    """The folder that the index is kept for."""

    root: str


class OfGeneration(Struct, frozen=True):
    """All of a generation."""

    generation: int
    dimensions: int = 0


class Vacuuming(Struct, frozen=True):
    """How many rows were deleted since the last time; None: those of a whole generation."""

    generation: int
    dead: int | None


class OfOwner(Struct, frozen=True):
    """All that is one owner's, or the first `most` of it."""

    generation: int
    owner: int | None
    most: int = 0


class FileKey(Struct, frozen=True):
    """A file of one generation."""

    generation: int
    owner: int | None
    path: str


class Beginning(Struct, frozen=True):
    """An owner's files by how their path or name begins."""

    generation: int
    owner: int | None
    beginning: str


class FilePath(Struct, frozen=True):
    """Where a file is in its folder."""

    path: str


class ContentKey(Struct, frozen=True):
    """Files by their bytes."""

    generation: int
    owner: int | None
    content_hash: str


class Ids(Struct, frozen=True):
    """Rows by id."""

    ids: list[int]


class ChunkKeys(Struct, frozen=True):
    """Chunks of a generation, by id; those of one owner where the query asks for that."""

    generation: int
    ids: list[int]
    owner: int | None = None


class TextKeys(Struct, frozen=True):
    """Texts by hash."""

    generation: int
    text_hashes: list[str]


class WrittenFile(Struct, frozen=True):
    """A file as it is now."""

    generation: int
    owner: int | None
    path: str
    content_hash: str
    encoding: str
    reason: str
    chunks: int


class MovedFile(Struct, frozen=True):
    """A file and its new path."""

    id: int
    path: str


class WrittenChunks(Struct, frozen=True):
    """New chunks of a file, as JSON."""

    generation: int
    file_id: int
    drafts: str


class PlacedChunk(Struct, frozen=True):
    """Where a chunk stands now."""

    id: int
    ordinal: int
    start_line: int
    end_line: int


class WrittenVector(Struct, frozen=True):
    """The vector of a chunk."""

    generation: int
    chunk_id: int
    owner: int | None
    embedding: Vectors


class Id(Struct, frozen=True):
    """A row's id."""

    id: int


class WrittenChunk(Struct, frozen=True):
    """The id that a new chunk got, and its place in the file."""

    id: int
    ordinal: int


class Owner(Struct, frozen=True):
    """A user who has files."""

    owner: int


class Done(Struct, frozen=True):
    """It is done."""

    done: bool


class Locked(Struct, frozen=True):
    """Whether the lock is held."""

    locked: bool


class Setting(Struct, frozen=True):
    """A setting's value."""

    value: str


class Revision(Struct, frozen=True):
    """A generation's revision."""

    revision: int


class Touched(Struct, frozen=True):
    """The generation that will look at a file again."""

    generation: int


class OwnedVector(Struct, frozen=True):
    """A chunk's vector and whose it is."""

    id: int
    owner: int | None
    embedding: Vectors


class TextVector(Struct, frozen=True):
    """The vector of a text."""

    text_hash: str
    embedding: Vectors
