"""Puts the made-up county into the PostGIS cluster, once and whole."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from vmk_mcp.database.query import Query, load_query
from vmk_mcp.database.writer import Writer
from vmk_mcp.sample.county.making import COUNTY_SEED, make_county
from vmk_mcp.sample.county.records import County, PlaceRecord

EDITION: Final = f"1/{COUNTY_SEED}"
"""Which county this version makes: to be raised with any change of what is made."""


class _Standing(Struct, frozen=True):
    edition: str | None
    records: int | None
    found: int


class _Record(Struct, frozen=True):
    edition: str
    records: int


class _Edition(Struct, frozen=True):
    edition: str


class _Taken(Struct, frozen=True):
    is_taken: bool


class _Count(Struct, frozen=True):
    records: int


class _WrittenId(Struct, frozen=True):
    id: int


_INSPECT: Final = load_query("sample/inspect_county", row=_Standing)
_TAKE: Final = load_query("sample/take_county", row=_Taken)
_REMOVE: Final = load_query("sample/remove_county", row=_Count)
_RECORD: Final = load_query("sample/record_county", row=_Edition)

_WRITE: Final[dict[str, Query[_WrittenId]]] = {
    "fire_grids": load_query("sample/write_fire_grid", row=_WrittenId),
    "water_sources": load_query("sample/write_water_source", row=_WrittenId),
    "water_tanks": load_query("sample/write_water_tank", row=_WrittenId),
    "check_stations": load_query("sample/write_check_station", row=_WrittenId),
    "lookouts": load_query("sample/write_lookout", row=_WrittenId),
    "passages": load_query("sample/write_passage", row=_WrittenId),
    "burial_grounds": load_query("sample/write_burial_ground", row=_WrittenId),
    "works": load_query("sample/write_works", row=_WrittenId),
}


async def load_county(dsn: str, say: Callable[[str], None]) -> None:
    """Write the county unless it is there whole; one that is not, or is of another edition, is made anew.

    Args:
        dsn: of the owner of the tables.
        say: is told what is being done.

    Raises:
        StoreUnavailable: the server went away; nothing is half written.
    """
    async with Writer(dsn) as writer:
        if _is_whole(await _inspect(writer)):
            return
        async with writer.transaction():
            await writer.fetch_all(_TAKE)
            # Another process may have loaded it while this one waited.
            if not _is_whole(standing := await _inspect(writer)):
                await _load(writer, standing, say)
        await writer.analyze_county()


async def _load(writer: Writer, standing: _Standing, say: Callable[[str], None]) -> None:
    county = make_county()
    records = _count(county)
    say(_announce(standing, records))
    await writer.fetch_all(_REMOVE)
    await write_county(writer, county)
    await writer.fetch_all(_RECORD, _Record(EDITION, records))


async def _inspect(writer: Writer) -> _Standing:
    (standing,) = await writer.fetch_all(_INSPECT)
    return standing


def _is_whole(standing: _Standing) -> bool:
    return standing.edition == EDITION and standing.found == standing.records


async def write_county(writer: Writer, county: County) -> None:
    """Write all records into tables that are empty."""
    for table, query in _WRITE.items():
        records: Sequence[PlaceRecord] = getattr(county, table)
        await writer.write_all(query, records)


def _count(county: County) -> int:
    tables: list[Sequence[Any]] = [getattr(county, table) for table in _WRITE]
    return sum(map(len, tables))


def _announce(standing: _Standing, records: int) -> str:
    if not standing.found and standing.edition is None:
        return f"Loading a made-up county of {records:,} places"
    return f"Loading the made-up county's {records:,} places anew: it is not whole, or of another version"
