"""Composition root: the only room that names concrete classes together."""

from vmk_mcp.bootstrap.serving import create_app, serve, serve_stdio

__all__ = ["create_app", "serve", "serve_stdio"]
