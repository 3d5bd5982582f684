"""The watcher: a process of its own that sees documents change and calls the service's tools over MCP."""
