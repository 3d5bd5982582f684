"""Puts the municipal sample into the embedded server's database, once and whole."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from vmk_mcp.database.query import load_query
from vmk_mcp.database.writer import Writer
from vmk_mcp.sample.municipal.tables import MUNICIPAL_SEED, make_tables


class _Held(Struct, frozen=True):
    held: bool


class _Count(Struct, frozen=True):
    permits: int


_CLAIM: Final = load_query("sample/claim_municipal", row=_Held)
_COUNT: Final = load_query("sample/count_municipal_permits", row=_Count)


async def load_municipal(dsn: str, *, say: Callable[[str], None], seed: int = MUNICIPAL_SEED) -> None:
    """Write all tables of the sample unless they are there; of two that do so at once, one waits.

    Args:
        dsn: of the owner of the tables.
        say: is told what is being done.
        seed: another one makes other rows of the same kind.

    Raises:
        StoreUnavailable: the embedded server went away; nothing is half written.
    """
    async with Writer(dsn) as writer:
        if await _is_loaded(writer):
            return
        tables = make_tables(seed)
        say(f"Loading a made-up city with {sum(map(len, tables.values())):,} records")
        async with writer.transaction():
            await writer.fetch_all(_CLAIM)
            if await _is_loaded(writer):
                return
            for table, rows in tables.items():
                await writer.copy_all(table, rows)
        await writer.analyze()


async def _is_loaded(writer: Writer) -> bool:
    return (await writer.fetch_all(_COUNT))[0].permits > 0
