"""What the family's tools are asked and what they answer."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from vmk_mcp.tool import TERSE

INT8_MIN: Final = -(2**63)
INT8_MAX: Final = 2**63 - 1
QUERY_MAX_LENGTH: Final = 20_000
MOST_PATHS: Final = 1_000
"""Paths in one call; who has more sends several calls."""
MOST_TOP_K: Final = 100

UserId = (
    Annotated[
        int,
        Meta(
            ge=INT8_MIN,
            le=INT8_MAX,
            description="Whose folder of documents, where this token may; the shared folder unless given.",
        ),
    ]
    | UnsetType
)
SameUserId = Annotated[int, Meta(ge=INT8_MIN, le=INT8_MAX, extra_json_schema=TERSE)] | UnsetType
"""As `vector_search` says it: a model reads it once."""
FilePaths = Annotated[
    list[str],
    Meta(
        min_length=1,
        max_length=MOST_PATHS,
        description="Paths relative to the folder, with / between the steps.",
        examples=[["guides/renting.md"]],
    ),
]


class VectorSearch(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `vector_search`."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=QUERY_MAX_LENGTH,
            description="What is to be found, as a question or in telling words.",
            examples=["Які документи потрібні для оренди квартири?"],
        ),
    ]
    top_k: (
        Annotated[
            int, Meta(ge=1, le=MOST_TOP_K, description="Most chunks; as the service is set unless given.")
        ]
        | UnsetType
    ) = UNSET
    user_id: UserId = UNSET


class DocumentPaths(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `add_`, `update_` and `delete_vector_documents`."""

    file_paths: FilePaths
    user_id: SameUserId = UNSET


class Reindexing(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `reindex_vector`."""

    force: Annotated[bool, Meta(description="Embed even what has not changed.")] = False
    user_id: SameUserId = UNSET


class IndexScope(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `get_index_stats`."""

    user_id: SameUserId = UNSET


class FoundChunk(Struct, frozen=True):
    """A piece of a document.

    Attributes:
        file_path: relative to the folder that was searched.
        heading_path: the headings above the text, outermost first.
        start_line: first line of the text in its file, counted from 1.
        end_line: its last line.
        score: cosine of query and text, 1 for the same meaning.
    """

    text: str
    file_path: str
    heading_path: list[str]
    start_line: int
    end_line: int
    score: float


class SearchResult(Struct, frozen=True):
    """The chunks nearest to a query, nearest first.

    Attributes:
        total_chunks: chunks in the folder that was searched.
        message: why there are none, in a sentence.
    """

    results: list[FoundChunk]
    total_chunks: int
    message: str | UnsetType = UNSET


FileStatus = Literal["indexed", "unchanged", "deleted", "absent", "skipped", "failed"]
"""What became of one file.

`indexed`: in the index as it is on the disk; `unchanged`: it was so before; `deleted`: out of the index;
`absent`: was not in it; `skipped`: no document by its name; `failed`: could not be indexed, as `reason` says.
"""


class FileOutcome(Struct, frozen=True, kw_only=True):
    """What became of one file.

    Attributes:
        file_path: as it was given.
        content_hash: SHA-256 of the bytes that are in the index now, hexadecimal.
        reason: why it was skipped or failed, in a sentence.
        retryable: the same call may succeed later though the file does not change.
    """

    file_path: str
    status: FileStatus
    chunks: int | UnsetType = UNSET
    content_hash: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    retryable: bool | UnsetType = UNSET


class IndexingResult(Struct, frozen=True, kw_only=True):
    """What became of each file of a call, in the order of its paths.

    Attributes:
        generation: name of the index that this holds for; another name is another index, to be filled anew.
        counts: files by status.
    """

    generation: str
    files: list[FileOutcome]
    counts: dict[str, int]


class ReindexResult(Struct, frozen=True, kw_only=True):
    """What a whole index was made of.

    Attributes:
        generation: name of the index that is searched from now on.
        counts: files by status.
        embedded_texts: texts that the embedder was given; the others' vectors were there.
        problems: files that failed or were skipped, at most a hundred.
    """

    generation: str
    counts: dict[str, int]
    chunks: int
    embedded_texts: int
    problems: list[FileOutcome]


class IndexStats(Struct, frozen=True, kw_only=True):
    """How the index stands.

    Attributes:
        generation: name of the index that is searched; empty before there is one.
        files: documents in it, of the folder that is asked for, as all counts.
        model: what its vectors were made by.
        chunker: how its documents were cut.
        store: where its vectors are searched.
        last_change: when a file of it last changed, RFC 3339.
        failures: files that could not be indexed, at most a hundred.
        rebuilding: how far a new index is that will take this one's place.
    """

    generation: str
    files: int
    chunks: int
    failed: int
    failures: list[FileOutcome]
    model: str
    dimensions: int
    chunker: str
    store: str
    last_change: str | UnsetType = UNSET
    rebuilding: str | UnsetType = UNSET
