"""pgvector's vectors on the wire: binary, as numpy arrays on our side."""

from typing import Any, Final

import asyncpg
from msgspec import Struct
from pgvector import Vector

from vmk_mcp.database.query import load_query


class VectorSchema(Struct, frozen=True):
    """The schema in which the extension `vector` lives, whose library is now loaded."""

    schema_name: str
    loaded: str


_FIND_VECTOR_SCHEMA: Final = load_query("database/find_vector_schema", row=VectorSchema)


async def register_vectors(connection: "asyncpg.Connection[Any]") -> None:
    """Let `connection` send and receive the type `vector` as `(n,) float32` arrays, where there is one."""
    found = await connection.fetchrow(_FIND_VECTOR_SCHEMA.sql)
    if found is None:
        return
    await connection.set_type_codec(
        "vector",
        schema=found["schema_name"],
        encoder=lambda array: Vector(array).to_binary(),
        decoder=lambda content: Vector.from_binary(content).to_numpy(),
        format="binary",
    )
