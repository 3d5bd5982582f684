"""Bare Starlette, orjson and asyncpg: the least that answers the same calls. No auth, log, limit or check."""

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import numpy as np
import orjson
import pgvector.asyncpg
from starlette.applications import Starlette
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import vmk_mcp
from vmk_mcp.database.pool import PoolLimits, reading_session

SQL = Path(vmk_mcp.__file__).parent / "listings" / "sql"
FILES = {path.stem: path.read_text("utf-8") for path in SQL.glob("*.sql")}
PARAMETERS = {name: re.findall(r"^--   \$\d+ (\w+)", text, re.MULTILINE) for name, text in FILES.items()}
TEXTS = {name: re.sub(r"^--.*\n", "", text, flags=re.MULTILINE) for name, text in FILES.items()}


async def keep_session(connection: object) -> None:
    """Stand in for the pool's reset round trip."""


@asynccontextmanager
async def open_pool(app: Starlette) -> AsyncIterator[None]:
    """Hold as many connections as the service does, with the same session."""
    app.state.embedding = np.load(os.environ["BENCH_VECTOR"])
    limits = PoolLimits()
    async with asyncpg.create_pool(
        os.environ["BENCH_DSN"],
        min_size=limits.size,
        max_size=limits.size,
        init=pgvector.asyncpg.register_vector,
        # Statements above 15 KiB are otherwise prepared anew each time.
        max_cacheable_statement_size=0,
        reset=keep_session,
        server_settings=reading_session(limits),
    ) as app.state.pool:
        yield


async def call_tool(state: State, name: str, arguments: dict[str, object]) -> dict[str, object]:
    """Run the SQL file `name` and write its rows twice, as MCP wants: as text and as they are."""
    arguments["embedding"] = state.embedding
    async with state.pool.acquire() as connection:
        records = await connection.fetch(TEXTS[name], *map(arguments.get, PARAMETERS[name]))
    structured = {"rows": [dict(record) for record in records]}
    text = orjson.dumps(structured).decode()
    content = [{"type": "text", "text": text}]
    return {"content": content, "structuredContent": structured, "isError": False}


async def answer(request: Request) -> Response:
    """Answer `ping` and `tools/call`."""
    message = orjson.loads(await request.body())
    params = message.get("params")
    result = await call_tool(request.app.state, **params) if params else {}
    body = {"jsonrpc": "2.0", "id": message["id"], "result": result}
    return Response(orjson.dumps(body), media_type="application/json")


app = Starlette(routes=[Route("/mcp", answer, methods=["POST"])], lifespan=open_pool)
