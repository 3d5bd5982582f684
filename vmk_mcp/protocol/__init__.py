"""JSON-RPC and MCP as pure functions: bytes in, bytes out; no sockets, no clock."""

from vmk_mcp.protocol.profiles import Profile, load_profiles
from vmk_mcp.protocol.server import Protocol
from vmk_mcp.protocol.work import Answer, Cancel, Completion, ResourceRead, ToolCall, Work

__all__ = [
    "Answer",
    "Cancel",
    "Completion",
    "Profile",
    "Protocol",
    "ResourceRead",
    "ToolCall",
    "Work",
    "load_profiles",
]
