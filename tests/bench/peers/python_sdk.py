"""The official Python SDK over the same SQL, as its documentation has it: typed tools, stateless HTTP."""

from mcp.server import MCPServer

from tests.bench.peers.peer_rows import TOOLS

server = MCPServer("python-sdk", log_level="WARNING")
for tool in TOOLS:
    server.tool()(tool)

app = server.streamable_http_app(json_response=True, stateless_http=True)
