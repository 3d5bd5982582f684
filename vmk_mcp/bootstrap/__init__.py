"""Composition root: the only room that names concrete classes together.

Each way in calms the native threads first and imports the rest only then: numpy, which is among the rest,
reads the environment once, when it is loaded.
"""

from collections.abc import Callable

from starlette.applications import Starlette

from vmk_mcp.bootstrap.greeting import Greet
from vmk_mcp.settings import Settings, calm_native_threads


def create_app() -> Starlette:
    """Make the application from the environment: `uvicorn --factory vmk_mcp.bootstrap:create_app`."""
    calm_native_threads()
    from vmk_mcp.bootstrap import serving  # noqa: PLC0415 - imports numpy

    return serving.create_app()


def serve(settings: Settings, *, say: Callable[[str], None], greet: Greet) -> None:
    """See `vmk_mcp.bootstrap.serving.serve`."""
    calm_native_threads()
    from vmk_mcp.bootstrap import serving  # noqa: PLC0415 - imports numpy

    serving.serve(settings, say=say, greet=greet)


def serve_stdio(settings: Settings, token: str | None, *, say: Callable[[str], None]) -> None:
    """See `vmk_mcp.bootstrap.serving.serve_stdio`."""
    calm_native_threads()
    from vmk_mcp.bootstrap import serving  # noqa: PLC0415 - imports numpy

    serving.serve_stdio(settings, token, say=say)
