"""FastMCP over the same SQL, as its documentation has it: typed tools, stateless HTTP."""

from fastmcp import FastMCP

from tests.bench.peers.peer_rows import TOOLS

server = FastMCP("fastmcp")
for tool in TOOLS:
    server.tool(tool)

app = server.http_app(json_response=True, stateless_http=True)
