"""The embedded server that the service started: its DSN, and more listings than the sample holds."""

from pathlib import Path
from typing import Final

import numpy as np

from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import find_embedded
from vmk_mcp.database.writer import Writer
from vmk_mcp.listings.queries import Vector
from vmk_mcp.listings.writing import with_words, write_listings
from vmk_mcp.sample.listings import SAMPLE_COUNT, make_listings
from vmk_mcp.sample.vectors import draw_vectors

_DATABASE: Final = "vmk_data"
_SEED: Final = 7
# Near enough to a real listing's vector to be its neighbour, far enough not to be its double.
_SPREAD: Final = 0.02


def find_dsn(data_dir: Path, role: Role) -> str:
    """Give the DSN by which `role` reads the listings while the service runs."""
    address = find_embedded(data_dir)
    if address is None:
        raise RuntimeError("the service runs without its embedded Postgres")
    return address.dsn(role, _DATABASE)


async def grow(data_dir: Path, rows: int) -> None:
    """Add listings to the running embedded server until there are `rows`, with vectors near the sample's."""
    further = make_listings(rows)[SAMPLE_COUNT:]
    sample, rng = list(draw_vectors()), np.random.default_rng(_SEED)
    async with Writer(find_dsn(data_dir, Role.OWNER)) as writer:
        listings = (
            with_words(record, _neighbour(sample[record.id % len(sample)], rng), configuration="ukrainian")
            for record in further
        )
        await write_listings(writer, listings, [])
        await writer.analyze()


def _neighbour(vector: Vector, rng: np.random.Generator) -> Vector:
    moved = vector + rng.normal(scale=_SPREAD, size=vector.shape).astype(np.float32)
    return np.divide(moved, np.linalg.norm(moved), dtype=np.float32)
