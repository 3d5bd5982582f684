"""Looks at each source that may be asked: is it there, who asks, what is open, and is it truly read-only."""

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.ask.model import OpenSchema
from vmk_mcp.ask.sources.assembling import assemble_schema
from vmk_mcp.ask.sources.catalog import PostgresCatalog
from vmk_mcp.ask.sources.files import SourceFile, read_source
from vmk_mcp.bootstrap.asked_databases import FoundSource, find_sources, read_own_dsn
from vmk_mcp.bootstrap.county import NoCounty, open_county
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.examining_beside import look_for_postgis
from vmk_mcp.bootstrap.findings import Finding, as_sentence, blame, blame_database, foresee_server
from vmk_mcp.configuration.dsn import Dsn
from vmk_mcp.database.asking import AskedDatabase, AskingRights, StatementFailed
from vmk_mcp.database.embedded import POSTGIS_NAME, is_made
from vmk_mcp.errors import VmkError
from vmk_mcp.observe import Observers
from vmk_mcp.settings import Settings

_WITHIN_S: Final = 10.0
_SHOWN_TABLES: Final = 8
_SPATIAL: Final = "spatial"
_ROLES_ADVICE: Final = "`vmk-mcp roles` prints the script that makes vmk_ask, which may only read."


class _Place(Struct, frozen=True):
    """Where a source lies: the setting or file that names it and what that says; None: a server of ours."""

    setting: str
    foreign: Dsn | None
    own: str = "The embedded Postgres"


def examine_asked(settings: Settings, sources: LazySources) -> list[Finding]:
    """Look at the sources of ASK_SOURCES in their order, the default first.

    A server of ours is started for it, and none is made.
    """
    return [_examine(word, settings, sources) for word in settings.ask.sources]


def _examine(word: str, settings: Settings, sources: LazySources) -> Finding:
    subject = f"ask source {word}"
    try:
        name, file = read_source(word)
        subject = f"ask source {name}" + (" (default)" if word == settings.ask.sources[0] else "")
        place = _find_place(name, file, settings)
        if place.foreign is None and (foreseen := _foresee(subject, name, settings, sources)) is not None:
            return foreseen
        alone = msgspec.structs.replace(settings.ask, sources=(word,))
        found = find_sources(msgspec.structs.replace(settings, ask=alone), sources)
    except VmkError as error:
        return blame(subject, error)
    if not found.sources:
        return Finding(
            subject, "failed", as_sentence(found.troubles[name]), "See what is said of its server."
        )
    return asyncio.run(_look_into(found.sources[0], subject, place))


def _find_place(name: str, file: SourceFile, settings: Settings) -> _Place:
    """Say who names the source's database; raises `SettingsError`, see `read_own_dsn`."""
    if (own := read_own_dsn(name, file)) is not None:
        return _Place(f"The source file {name}.toml", own)
    if name == "municipal":
        return _Place("", None)
    if name == _SPATIAL:
        return _Place("SPATIAL_DATABASE_URL", settings.database.spatial, "The PostGIS cluster")
    if settings.ask.database is not None:
        return _Place("ASK_DATABASE_URL", settings.ask.database)
    return _Place("DATABASE_URL", settings.database.listings)


def _foresee(subject: str, name: str, settings: Settings, sources: LazySources) -> Finding | None:
    """Say what stands before a source in a server of ours, or None where it can be looked into."""
    if name != _SPATIAL:
        return None if is_made(settings.data_dir) else foresee_server(subject)
    if _SPATIAL not in settings.families:
        message = "It lies in the PostGIS cluster, which runs where the spatial family is served."
        return Finding(
            subject, "warning", message, "Add spatial to VMK_FAMILIES, or take it out of ASK_SOURCES."
        )
    if not is_made(settings.data_dir, POSTGIS_NAME):
        return look_for_postgis(subject)
    county = open_county(settings.data_dir, sources.say)
    if isinstance(county, NoCounty):
        return Finding(subject, "failed", county.reason, county.hint)
    sources.hold(county.server)
    return None


async def _look_into(source: FoundSource, subject: str, place: _Place) -> Finding:
    database = AskedDatabase(f"ask {source.name}", source.login, size=1, observer=Observers())
    try:
        rights = await database.inspect_rights(within_s=_WITHIN_S)
        schema = assemble_schema(await PostgresCatalog(database).read(source.file.schema), source.file)
    except StatementFailed as error:
        message = f"Postgres did not say what may be asked (SQLSTATE {error.sqlstate})."
        return Finding(subject, "failed", message, "Look into the server's log.")
    except VmkError as error:
        return blame_database(subject, error, place.setting, place.foreign, place.own)
    finally:
        await database.close()
    return _judge(subject, rights, schema)


def _judge(subject: str, rights: AskingRights, schema: OpenSchema) -> Finding:
    asker = rights.role if rights.role == rights.login else f"{rights.role} (by the login {rights.login})"
    if not schema.tables:
        message = f"Asked as {asker}, which may read nothing in the schema {schema.name}."
        return Finding(subject, "failed", message, f"Grant SELECT there: {_ROLES_ADVICE}")
    opened = _sum_up(schema)
    if not rights.is_read_only:
        message = f"Asked as {asker}, whose transactions are not read-only; it may read {opened}."
        return Finding(subject, "failed", message, "Ask Postgres itself, not a pooler that drops READ ONLY.")
    if excess := [*rights.writable, *rights.powers]:
        message = (
            f"Asked as {asker}; it may read {opened}. Transactions are read-only, but it has rights that "
            f"nobody needs to ask: {', '.join(excess)}."
        )
        return Finding(subject, "warning", message, f"Revoke them, or ask as another: {_ROLES_ADVICE}")
    message = f"Asked as {asker}, read-only and with no right to write; it may read {opened}."
    return Finding(subject, "ok", message)


def _sum_up(schema: OpenSchema) -> str:
    names: Sequence[str] = [table.name for table in schema.tables]
    columns = sum(len(table.columns) for table in schema.tables)
    more = f" and {len(names) - _SHOWN_TABLES} more" if len(names) > _SHOWN_TABLES else ""
    return f"{columns} columns of {', '.join(names[:_SHOWN_TABLES])}{more}"
