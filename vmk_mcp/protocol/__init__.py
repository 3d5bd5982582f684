"""JSON-RPC and MCP as pure functions: bytes in, bytes out; no sockets, no clock."""
