"""What a database of our own has on record of itself."""

from typing import Final

from msgspec import Struct

from vmk_mcp.database.query import load_query
from vmk_mcp.database.writer import Writer


class EmbeddingModel(Struct, frozen=True):
    """The model that made the stored vectors, and its own number of dimensions."""

    model: str
    dimensions: int


class _ModelName(Struct, frozen=True):
    model: str


_READ_EMBEDDING_MODEL: Final = load_query("database/read_embedding_model", row=EmbeddingModel)
_RECORD_EMBEDDING_MODEL: Final = load_query("database/record_embedding_model", row=_ModelName)


async def read_embedding_model(writer: Writer) -> EmbeddingModel | None:
    """Give the model on record, or None while no vectors have been written."""
    rows = await writer.fetch_all(_READ_EMBEDDING_MODEL)
    return rows[0] if rows else None


async def record_embedding_model(writer: Writer, made_by: EmbeddingModel) -> None:
    """Note the model that makes the vectors from now on."""
    await writer.write_all(_RECORD_EMBEDDING_MODEL, [made_by])
