"""The official Python SDK over the same SQL, as its documentation has it: typed tools, stateless HTTP."""

from typing import Any

from mcp.server import MCPServer

from tests.bench.peers.peer_rows import ROWS

server = MCPServer("python-sdk", log_level="WARNING")


@server.tool()
async def by_id(listing_id: int) -> dict[str, Any]:
    """Give one listing by its id."""
    return await ROWS.fetch("by_id", listing_id)


@server.tool()
async def page(limit: int) -> dict[str, Any]:
    """Give a page of listings for sale."""
    return await ROWS.fetch("page", limit)


@server.tool()
async def by_meaning(embedding: str) -> dict[str, Any]:
    """Give the listings nearest to a vector."""
    return await ROWS.fetch("by_meaning", embedding)


app = server.streamable_http_app(json_response=True, stateless_http=True)
