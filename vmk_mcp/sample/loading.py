"""Puts the sample into the embedded server's database, once."""

from collections.abc import Callable

from msgspec.structs import asdict

from vmk_mcp.database.records import EmbeddingModel, read_embedding_model, record_embedding_model
from vmk_mcp.database.writer import Writer
from vmk_mcp.embedding.local import LOCAL_MODEL, NATIVE_DIMENSIONS
from vmk_mcp.listings.writing import PropertyTypeRecord, with_words, write_listings


async def load_sample(dsn: str, *, configuration: str, say: Callable[[str], None]) -> EmbeddingModel:
    """Write the sample listings unless the database has vectors already, and say which model made them.

    Args:
        dsn: of the owner of the tables.
        configuration: full-text configuration that the words are indexed by.
        say: is told what is being done.

    Raises:
        StoreUnavailable: the embedded server went away; nothing is half written.
    """
    async with Writer(dsn) as writer:
        if (recorded := await read_embedding_model(writer)) is not None:
            return recorded
        # What makes the sample takes 3 MB: after the first start nobody needs it.
        from vmk_mcp.sample.listings import PROPERTY_TYPES, SAMPLE_COUNT, draw_listings  # noqa: PLC0415 - once
        from vmk_mcp.sample.vectors import draw_vectors  # noqa: PLC0415 - once

        say(f"Loading {SAMPLE_COUNT:,} sample listings")
        made_by = EmbeddingModel(LOCAL_MODEL, NATIVE_DIMENSIONS)
        listings = (
            with_words(record, vector, configuration=configuration)
            for record, vector in zip(draw_listings(), draw_vectors(), strict=True)
        )
        kinds = [PropertyTypeRecord(**asdict(kind)) for kind in PROPERTY_TYPES]
        async with writer.transaction():
            await write_listings(writer, listings, kinds)
            await record_embedding_model(writer, made_by)
        await writer.analyze()
        return made_by
