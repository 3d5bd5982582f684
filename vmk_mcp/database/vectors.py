"""pgvector's vectors on the wire: binary, as numpy arrays on our side."""

from typing import Any

import asyncpg
from pgvector import Vector


async def register_vectors(connection: "asyncpg.Connection[Any]", schema: str) -> None:
    """Let `connection` send and receive the type `vector` of `schema` as `(n,) float32` arrays."""
    await connection.set_type_codec(
        "vector",
        schema=schema,
        encoder=lambda array: Vector(array).to_binary(),
        decoder=lambda content: Vector.from_binary(content).to_numpy(),
        format="binary",
    )
