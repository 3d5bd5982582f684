"""Looks at what families beside the listings need: the county's tables, our own, what embeds, what drafts."""

import asyncio
from collections.abc import Callable
from typing import Final

from vmk_mcp.bootstrap.auditing import SpatialReport, audit_spatial
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.drafters import choose_drafter
from vmk_mcp.bootstrap.findings import Finding, blame, blame_database, foresee_server
from vmk_mcp.bootstrap.knowledge import make_outside_vectors
from vmk_mcp.bootstrap.knowledge_embedders import Workshops, make_plan
from vmk_mcp.database.binaries import find_postgis_binaries
from vmk_mcp.database.embedded import POSTGIS_NAME, is_made
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.embedding.verify import check_dimensions
from vmk_mcp.errors import NotOffered, VmkError
from vmk_mcp.knowledge.store import PostgresKnowledgeStore
from vmk_mcp.observe import Observers
from vmk_mcp.settings import Settings

_SPATIAL: Final = "spatial database"
_STATE: Final = "state database"
_DOCUMENTS: Final = "documents"
_STATE_ADVICE: Final = (
    "Unset STATE_DATABASE_URL, or name a database with the tables of this version; the script that gives the "
    "rights is printed by `vmk-mcp roles --database state`."
)
_AUDIT_ADVICE: Final = "`vmk-mcp audit spatial` shows all of it."


def examine_spatial(settings: Settings, say: Callable[[str], None]) -> list[Finding]:
    """Audit the eight tables of the operator, or those of our PostGIS cluster, which is started, not made."""
    if settings.database.spatial is None and not is_made(settings.data_dir, POSTGIS_NAME):
        return [look_for_postgis(_SPATIAL)]
    try:
        report = audit_spatial(settings, say)
    except VmkError as error:
        return [blame(_SPATIAL, error)]
    if report.faults:
        return [Finding(_SPATIAL, "failed", fault, _AUDIT_ADVICE) for fault in report.faults]
    return [_sum_up(report)]


def examine_state(settings: Settings, sources: LazySources) -> Finding:
    """Look whether the tables of our own can be read, and whether documents are indexed."""
    foreign = settings.database.state
    if foreign is None and not is_made(settings.data_dir):
        return foresee_server(_STATE)
    try:
        return asyncio.run(_read_state(sources.state_dsn(), settings.database.query_timeout_s))
    except NotOffered:
        return Finding(_STATE, "failed", "It lacks tables of ours, or the right to use them.", _STATE_ADVICE)
    except VmkError as error:
        return blame_database(_STATE, error, "STATE_DATABASE_URL", foreign, "The embedded Postgres")


async def examine_documents(settings: Settings) -> Finding:
    """Look for the packages of what embeds documents and keeps their vectors, and have a probe embedded."""
    workshops = Workshops(settings, Observers())
    try:
        plan = make_plan(settings, workshops.find_dimensions)
        embedder = workshops.make(plan).embedder
        if (outside := make_outside_vectors(settings)) is not None:
            await outside.close()
        await check_dimensions(embedder, plan.dimensions)
    except VmkError as error:
        return blame(_DOCUMENTS, error)
    finally:
        await workshops.close()
    return Finding(_DOCUMENTS, "ok", f"{plan.model} embeds them, and {plan.store} keeps their vectors.")


def examine_drafter(settings: Settings) -> Finding:
    """Say what would write SQL for questions; nobody is asked anything."""
    try:
        backend = choose_drafter(settings.ask).drafter.backend
    except VmkError as error:
        return blame("drafter", error)
    return Finding("drafter", "ok", f"SQL for questions is written by: {backend}.")


def look_for_postgis(subject: str) -> Finding:
    """Say whether the first start can make the PostGIS cluster, which is not there yet."""
    try:
        find_postgis_binaries(None)
    except VmkError as error:
        return Finding(subject, "warning", error.message, error.hint)
    return Finding(subject, "ok", "None has been made yet; the first start makes and fills it.")


def _sum_up(report: SpatialReport) -> Finding:
    records = sum(table.found.records for table in report.tables)
    if left_out := sum(one.records for one in report.unusable):
        message = f"Of {records:,} records {left_out:,} are left out: their geometry is empty or invalid."
        return Finding(_SPATIAL, "warning", message, _AUDIT_ADVICE)
    return Finding(_SPATIAL, "ok", f"All eight tables can be searched, {records:,} records.")


async def _read_state(dsn: str, timeout_s: float) -> Finding:
    state = StateDatabase(dsn, limits=PoolLimits(size=1, query_timeout_s=timeout_s))
    await state.open()
    try:
        generations = await PostgresKnowledgeStore(state).list_generations()
    finally:
        await state.close()
    models = [one.plan.model for one in generations if one.state == "active"]
    index = f"documents are indexed with {models[0]}" if models else "no documents are indexed yet"
    return Finding(_STATE, "ok", f"It can be read; {index}.")
