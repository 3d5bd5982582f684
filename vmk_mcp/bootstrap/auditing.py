"""Looks at the eight tables of the spatial family as its start does, for a person to read."""

import asyncio
from collections.abc import Callable, Sequence

from msgspec import Struct

from vmk_mcp.bootstrap.county import NoCounty, open_county
from vmk_mcp.bootstrap.spatial import make_spatial_database
from vmk_mcp.configuration.dsn import Dsn, name_place
from vmk_mcp.database.failures import explain_connection
from vmk_mcp.errors import StartError, StoreUnavailable
from vmk_mcp.observe import Observers
from vmk_mcp.settings import Settings
from vmk_mcp.spatial.audit import Audit
from vmk_mcp.spatial.queries import TableAudit, Unusable
from vmk_mcp.spatial.standing import audit
from vmk_mcp.spatial.store import PostgisStore
from vmk_mcp.spatial.tables import TABLES


class AuditedTable(Struct, frozen=True):
    """What was found of one table; `name` is its name in the database."""

    name: str
    found: TableAudit


class SpatialReport(Struct, frozen=True):
    """What an audit found.

    Attributes:
        status: `unavailable` where a fault keeps the family from serving, `degraded` where answers leave
            records out.
        faults: what keeps it from serving, one sentence each.
        tables: of each table that could be looked into; none where a table or column is missing.
        unusable: records that are left out of answers, by table, town and reason.
    """

    status: str
    faults: Sequence[str]
    tables: Sequence[AuditedTable]
    unusable: Sequence[Unusable]


def audit_spatial(settings: Settings, say: Callable[[str], None]) -> SpatialReport:
    """Audit the operator's database, or that of the PostGIS cluster of our own, which is started for it.

    Raises:
        StartError: no PostGIS can be had here, or the operator's database cannot be reached.
        VmkError: the database takes too long.
    """
    foreign = settings.database.spatial
    if foreign is not None:
        return _audit_foreign(foreign, settings)
    county = open_county(settings.data_dir, say)
    if isinstance(county, NoCounty):
        raise StartError(county.reason, hint=county.hint)
    try:
        return _report(asyncio.run(_audit(county.dsn, settings)))
    finally:
        county.server.close()


def _audit_foreign(dsn: Dsn, settings: Settings) -> SpatialReport:
    try:
        return _report(asyncio.run(_audit(dsn.reveal(), settings)))
    except StoreUnavailable as error:
        sentence, advice = explain_connection(error.__cause__)
        place = f"Postgres at {name_place(dsn.parts)}"
        raise StartError(
            f"{place}: {sentence}.", hint=f"{advice} SPATIAL_DATABASE_URL says {dsn.shown}"
        ) from error


async def _audit(dsn: str, settings: Settings) -> Audit:
    database = make_spatial_database(dsn, settings, Observers())
    await database.open()
    try:
        return await audit(PostgisStore(database))
    finally:
        await database.close()


def _report(found: Audit) -> SpatialReport:
    return SpatialReport(
        status=found.readiness().status,
        faults=[f"{fault}." for fault in found.faults],
        tables=[AuditedTable(TABLES[one.kind].name, one) for one in found.tables],
        unusable=found.unusable,
    )
