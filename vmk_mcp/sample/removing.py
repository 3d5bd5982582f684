"""Tells the sample's listings from people's own, and takes them out."""

from typing import Final

from msgspec import Struct

from vmk_mcp.database.query import load_query
from vmk_mcp.database.writer import Writer


class _Count(Struct, frozen=True):
    listings: int


_COUNT: Final = load_query("sample/count_sample_listings", row=_Count)
_REMOVE: Final = load_query("sample/remove_sample_listings", row=_Count)


async def count_sample(writer: Writer) -> int:
    """Say how many of the made-up listings the table holds."""
    return (await writer.fetch_all(_COUNT))[0].listings


async def remove_sample(writer: Writer) -> int:
    """Take the made-up listings out, and say how many there were; kinds of property stay."""
    return (await writer.fetch_all(_REMOVE))[0].listings
