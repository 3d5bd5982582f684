"""The HTTP door: Starlette endpoints, who is let in, health and metrics."""
