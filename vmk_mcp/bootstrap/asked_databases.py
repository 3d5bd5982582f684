"""Where the sources lie that may be asked, and by which login."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from vmk_mcp.ask.sources.files import SourceFile, read_source
from vmk_mcp.bootstrap.databases import LazySources, run_apart
from vmk_mcp.configuration.dsn import BadDsn, Dsn, parse_dsn
from vmk_mcp.database.ask_connections import AskLogin
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import POSTGIS_NAME, EmbeddedServer, find_embedded
from vmk_mcp.database.prepare import prepare_database
from vmk_mcp.database.scripts import MUNICIPAL, SPATIAL, blueprint_listings
from vmk_mcp.errors import SettingsError, VmkError
from vmk_mcp.sample.municipal.loading import load_municipal
from vmk_mcp.settings import Settings

_LISTINGS: Final = blueprint_listings(has_dictionary=False).database


class FoundSource(Struct, frozen=True):
    """A source and who asks it."""

    name: str
    file: SourceFile
    login: AskLogin


class FoundSources(Struct, frozen=True):
    """Sources in the order of the settings, and why others are not there: a sentence by name."""

    sources: tuple[FoundSource, ...]
    troubles: Mapping[str, str]


def find_sources(settings: Settings, sources: LazySources) -> FoundSources:
    """Find the sources of ASK_SOURCES; the municipal sample is made where it is asked for and not there yet.

    Raises:
        SettingsError: a word is no source, or its file cannot be used.
    """
    found, troubles = [], {}
    for word in settings.ask.sources:
        name, file = read_source(word)
        own = read_own_dsn(name, file)
        try:
            login = AskLogin(own.reveal(), file.role) if own else _find_login(name, settings, sources)
        except VmkError as error:
            troubles[name] = error.message
        else:
            if isinstance(login, str):
                troubles[name] = login
            else:
                found.append(FoundSource(name, file, login))
    return FoundSources(tuple(found), troubles)


async def fill_city(server: EmbeddedServer, say: Callable[[str], None]) -> None:
    """Make or migrate the municipal sample's database and load it, unless it is there.

    Raises:
        StartError: the database belongs to another version, or the server fails.
    """
    await prepare_database(server, MUNICIPAL, say)
    await load_municipal(server.dsn(Role.OWNER, MUNICIPAL.database), say=say)


def read_own_dsn(name: str, file: SourceFile) -> Dsn | None:
    """Give the DSN that a file of the operator's holds; None for a source that comes with the package.

    Raises:
        SettingsError: it cannot be read.
    """
    if not file.dsn:
        return None
    try:
        return parse_dsn(file.dsn)
    except BadDsn as error:
        raise SettingsError(
            f"The dsn in the source file {name}.toml {error}.",
            hint="It looks like postgresql://vmk_ask:password@host:5432/database.",
        ) from None


def _find_login(name: str, settings: Settings, sources: LazySources) -> AskLogin | str:
    """Give the login of a shipped source, or a sentence on why there is none."""
    if name == "municipal":
        server = sources.embedded()
        run_apart(fill_city(server, sources.say))
        return AskLogin(server.dsn(Role.ASK, MUNICIPAL.database))
    if name == "spatial":
        return _find_spatial(settings)
    if settings.ask.database is not None:
        return AskLogin(settings.ask.database.reveal())
    if settings.database.listings is not None:
        return AskLogin(settings.database.listings.reveal(), Role.ASK)
    return AskLogin(sources.embedded().dsn(Role.ASK, _LISTINGS))


def _find_spatial(settings: Settings) -> AskLogin | str:
    if settings.database.spatial is not None:
        return AskLogin(settings.database.spatial.reveal(), Role.ASK)
    try:
        address = find_embedded(settings.data_dir, POSTGIS_NAME)
    except OSError:
        return "The files of the PostGIS cluster are not this account's to read."
    if address is None:
        return "The PostGIS cluster of the spatial family does not run here."
    return AskLogin(address.dsn(Role.ASK, SPATIAL.database))
