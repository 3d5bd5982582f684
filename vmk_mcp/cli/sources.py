"""Options by which a command is told what to ask."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from vmk_mcp.bootstrap.asking import Wish
from vmk_mcp.cli.speech import Misuse


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options --source, --dsn and --schema, handed over together as `wish`."""

    @click.option(
        "--source", help="A source's name, or the path of its file.  [default: the first of ASK_SOURCES]"
    )
    @click.option("--dsn", help="A database of your own instead; the login may not be a superuser.")
    @click.option("--schema", help="With --dsn: the schema that its tables lie in.  [default: public]")
    @wraps(command)
    def with_wish(source: str | None, dsn: str | None, schema: str | None, **options: Any) -> None:
        if source is not None and dsn is not None:
            raise Misuse("--source and --dsn name two databases.", "Give one of them.")
        if schema is not None and dsn is None:
            raise Misuse("--schema goes with --dsn.", "A source's file says which schema it means.")
        command(wish=Wish(source, dsn, schema or "public"), **options)

    return with_wish
