"""Read-only search over a real Postgres for AI agents, served over MCP."""

__version__ = "0.1.0"
