"""Asking from the command line: the same service as behind the tools, for as long as one command lasts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.ask.log import PostgresQueryLog, RejectionReport
from vmk_mcp.ask.sources.files import SourceFile, read_source
from vmk_mcp.bootstrap.ask import AskParts, join_parts, open_log
from vmk_mcp.bootstrap.asked_databases import FoundSource, FoundSources, find_sources
from vmk_mcp.bootstrap.county import NoCounty, open_county
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.drafters import choose_drafter
from vmk_mcp.configuration.dsn import BadDsn, parse_dsn
from vmk_mcp.database.ask_connections import AskLogin
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.errors import SettingsError, StartError
from vmk_mcp.observe import Event, Observers, Warned
from vmk_mcp.settings import Settings
from vmk_mcp.tool import ALL, Caller

Say = Callable[[str], None]
"""Told, line by line, what a person should know."""

OWNER: Final = Caller(name="command line", towns=ALL)
"""Who asks at the shell: the owner of the machine."""

_OWN: Final = "own"


class Wish(Struct, frozen=True):
    """What a command is told to ask.

    Attributes:
        source: a name or a file; None: the first of ASK_SOURCES.
        dsn: of a database of one's own, instead of a source.
        schema: the Postgres schema that its tables lie in.
    """

    source: str | None = None
    dsn: str | None = None
    schema: str = "public"


class _Warnings:
    """Says warnings, and nothing else."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def observe(self, event: Event) -> None:
        """See `Observer.observe`."""
        if isinstance(event, Warned):
            self._say(f"{event.subject}: {event.message}")


@contextmanager
def open_asking(settings: Settings, wish: Wish, say: Say) -> Iterator[AskParts]:
    """Make the service over one source; it connects when it is opened, in an event loop.

    Raises:
        SettingsError: the source, the DSN or the drafter cannot be.
        StartError: the source cannot be had here.
    """
    chosen, sources = choose_drafter(settings.ask), LazySources(settings, say)
    observer = Observers(_Warnings(say))
    try:
        if wish.dsn is not None:
            # Nothing of ours is started for a database of somebody else's, not even for the log.
            yield join_parts(_describe_own(wish.dsn, wish.schema), chosen, settings, observer)
            return
        found = _find_one(settings, wish.source, sources, say)
        yield join_parts(found, chosen, settings, observer, open_log(sources, observer))
    finally:
        sources.close()


@contextmanager
def open_records(settings: Settings, say: Say) -> Iterator[StateDatabase]:
    """Make the database in which calls are on record; raises `StartError` where it cannot be had here."""
    sources = LazySources(settings, say)
    try:
        yield StateDatabase(sources.state_dsn(), limits=PoolLimits(size=1))
    finally:
        sources.close()


async def report_rejections(state: StateDatabase, since: datetime | None) -> RejectionReport:
    """Count calls since a moment, or all; raises `StoreUnavailable`."""
    await state.open()
    try:
        return await PostgresQueryLog(state, Observers()).report(since)
    finally:
        await state.close()


def _find_one(settings: Settings, word: str | None, sources: LazySources, say: Say) -> FoundSources:
    word = word or settings.ask.sources[0]
    name, _ = read_source(word)
    if name == "spatial" and settings.database.spatial is None:
        county = open_county(settings.data_dir, say)
        if isinstance(county, NoCounty):
            raise StartError(county.reason, hint=county.hint)
        sources.hold(county.server)
    alone = msgspec.structs.replace(settings.ask, sources=(word,))
    found = find_sources(msgspec.structs.replace(settings, ask=alone), sources)
    if not found.sources:
        raise StartError(
            f"The source {name} cannot be asked: {found.troubles[name]}",
            hint="`vmk-mcp doctor` says what to do.",
        )
    return found


def _describe_own(text: str, schema: str) -> FoundSources:
    try:
        dsn = parse_dsn(text)
    except BadDsn as error:
        raise SettingsError(
            f"The text of --dsn {error}.", hint="It looks like postgresql://user:password@host:5432/database."
        ) from None
    return FoundSources((FoundSource(_OWN, SourceFile(schema=schema), AskLogin(dsn.reveal())),), {})
