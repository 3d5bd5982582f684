"""The protocol over all offers, who may use it, and the observers that every part reports to."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import resources
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from vmk_mcp import __version__
from vmk_mcp.bootstrap.families import ROOMS, open_families, show_offers
from vmk_mcp.bootstrap.surroundings import Family
from vmk_mcp.bootstrap.tracing import with_spans
from vmk_mcp.configuration.serving import FAMILIES
from vmk_mcp.errors import NotFound, SettingsError
from vmk_mcp.observe import Observer, Observers, Warned
from vmk_mcp.protocol.profiles import Profile, load_profiles
from vmk_mcp.protocol.server import Protocol
from vmk_mcp.running import Running
from vmk_mcp.sample.county.making import OPEN_TOWNS
from vmk_mcp.settings import Settings
from vmk_mcp.tool import Caller, Offer
from vmk_mcp.web.app import Lifespan, Parts
from vmk_mcp.web.guard import Callers, Guard, Site
from vmk_mcp.web.idle_stream import IdleStream
from vmk_mcp.web.local_access import AccessFolder
from vmk_mcp.web.log import LineBuffer, LogObserver
from vmk_mcp.web.metrics import MetricsObserver
from vmk_mcp.web.rates import RateLimits
from vmk_mcp.web.token_edits import Grant, list_tokens
from vmk_mcp.web.tokens import TokenFile, watch_tokens
from vmk_mcp.web.vocabulary import METRICS, Vocabulary

LOCAL_TOKEN: Final = "local"  # noqa: S105 (the name of a token, not a token)
_MAX_IDLE_STREAMS: Final = 64
INSTRUCTIONS: Final = "Read-only search over the operator's data; nothing that you call changes it."


class Watching(Struct, frozen=True):
    """What every part of the service reports to."""

    observers: Observers
    metrics: MetricsObserver


class Access(Struct, frozen=True):
    """Who is let in; `local_token` is in the clear where the service keeps one for this machine."""

    callers: Callers | Caller
    lifespans: Sequence[Lifespan]
    local_token: str | None


def start_watching(settings: Settings, stream: BinaryIO | None = None) -> Watching:
    """Make the log, on stderr, the metrics, and spans where a collector is named.

    What the settings warn of is the first that they are told.
    """
    lines = LineBuffer(stream or sys.stderr.buffer)
    metrics = MetricsObserver()
    log = LogObserver(lines, shows_queries=settings.server.log_queries)
    observers = Observers(log, metrics)
    for warning in settings.warnings:
        observers.observe(Warned("settings", warning))
    return Watching(with_spans(settings, observers), metrics)


def find_contracts() -> Path:
    """Give the folder of the contracts: inside the installed package, or beside it in a checkout."""
    package = Path(str(resources.files("vmk_mcp")))
    inside = package / "contracts"
    return inside if inside.is_dir() else package.parent / "contracts"


def find_profiles() -> Mapping[str, Profile]:
    """Load the profiles on record."""
    return load_profiles(find_contracts() / "profiles")


def make_protocol(settings: Settings, families: Sequence[Family], *, sends_logs: bool = False) -> Protocol:
    """Make the protocol over the families' offers; `sends_logs`: see `Protocol`."""
    return Protocol(
        server_name=settings.server.name,
        server_version=__version__,
        instructions=INSTRUCTIONS,
        offers=[family.offer for family in families],
        profiles=find_profiles(),
        max_response_bytes=settings.server.max_response_bytes,
        sends_logs=sends_logs,
    )


def make_running(settings: Settings) -> Running:
    """Make the bounded queue of calls."""
    return Running(settings.server.max_concurrent_calls, settings.server.max_queued_calls)


def vocabulary(offers: Sequence[Offer]) -> Vocabulary:
    """Give the words that an entry of the tokens file may use where `offers` are served."""
    rights: dict[str, set[str]] = {offer.family: set() for offer in offers}
    for offer in offers:
        for tool in offer.tools:
            rights[offer.family].add(f"{tool.family}.{tool.name}")
            if tool.right is not None:
                rights[offer.family].add(tool.right)
    return Vocabulary(FAMILIES, rights, set(find_profiles()))


def every_offer() -> Sequence[Offer]:
    """Give what each family shows that this version can serve; the tools can be looked at, not called."""
    return [room.show() for room in ROOMS.values()]


def refuse_broken_tokens(settings: Settings, observer: Observer) -> None:
    """Read the tokens file that is there; for the start, before anything slow, and writes nothing.

    Raises:
        SettingsError: the tokens file is broken, or the one that the operator names is missing.
    """
    path = settings.server.tokens_file or AccessFolder(settings.data_dir).tokens_file
    if settings.server.auth and (settings.server.tokens_file or path.exists()):
        TokenFile(path, vocabulary(show_offers(settings)), observer)


def note_address(settings: Settings, url: str, observer: Observer) -> Callable[[], None]:
    """Note where the service listens, for `vmk-mcp call`; where that cannot be, it only warns.

    What is given back is to be called when the service ends: it brings back the address noted before.
    """
    access = AccessFolder(settings.data_dir)
    before = access.read_address()
    try:
        access.note_address(url)
    except SettingsError as error:
        message = f"{error.message} `vmk-mcp call` does not find this server by itself; tell it with --url."
        observer.observe(Warned("data folder", message))

    def forget() -> None:
        # A note that stays is outlived: `vmk-mcp call` tries the address of the settings next.
        with suppress(SettingsError):
            access.forget_address(url, before)

    return forget


def open_access(settings: Settings, offers: Sequence[Offer], observer: Observer) -> Access:
    """Read the tokens; where the operator names no file, this machine gets a token of its own.

    Raises:
        SettingsError: the tokens file is missing or broken.
    """
    if not settings.server.auth:
        return Access(everyone(), (), None)
    local = AccessFolder(settings.data_dir)
    path = settings.server.tokens_file
    token = None if path else local.ensure_token(local_grant())
    if token is not None and (lacking := local.find_lacking(local_grant())):
        observer.observe(Warned("tokens", _say_lacking(lacking)))
    tokens = TokenFile(path or local.tokens_file, vocabulary(offers), observer)
    return Access(tokens, (partial(watch_tokens, tokens),), token)


def _say_lacking(rights: Sequence[str]) -> str:
    return (
        f"The token for this machine lacks {', '.join(rights)}, which this version gives to a new one. "
        f"`vmk-mcp token revoke {LOCAL_TOKEN}` has the next start make a new one."
    )


def local_grant() -> Grant:
    """Give the rights of the token for this machine: all families but diagnostics, and contacts.

    Of the made-up county it may see every town but one, so that a scope can be watched at work.
    """
    families = tuple(family for family in FAMILIES if family != "diagnostics")
    return Grant(name=LOCAL_TOKEN, tools=families, towns=OPEN_TOWNS, contacts=True)


def find_owner(settings: Settings, token: str | None) -> Caller:
    """Give the caller that stands for the process owner: a token by its name, or the local one.

    Raises:
        NotFound: no token of that name is on record.
        SettingsError: its profile is not on record, or the file cannot be read.
    """
    local = AccessFolder(settings.data_dir)
    if token is None:
        local.ensure_token(local_grant())
        token = LOCAL_TOKEN
        path = local.tokens_file
    else:
        path = settings.server.tokens_file or local.tokens_file
    for caller in list_tokens(path):
        if caller.name == token:
            _require_profile(caller, path)
            return caller
    raise NotFound(
        f"There is no token {token!r} in {path}.", hint="`vmk-mcp token list` shows the names on record."
    )


def _require_profile(caller: Caller, path: Path) -> None:
    if fault := vocabulary(()).fault_of_profile(caller.profile):
        raise SettingsError(
            f"The token {caller.name!r} in {path} has the profile {caller.profile!r}; {fault}.",
            hint="Mend its line, or take another token.",
        )


def everyone() -> Caller:
    """Give the caller that stands for everybody where `MCP_AUTH` is off."""
    return Caller(name="everyone", rights=frozenset({*FAMILIES, METRICS}), towns="all", user_ids="all")


def make_parts(
    settings: Settings,
    watching: Watching,
    families: Sequence[Family],
    access: Access,
    outermost: Lifespan,
) -> Parts:
    """Join guard, protocol and families into what the application is made of.

    The lifespan `outermost` is opened before all others and closed after them.
    """
    server = settings.server
    site = Site(frozenset(server.allowed_origins), frozenset(server.allowed_hosts), server.trusted_proxies)
    guard = Guard(site, access.callers, RateLimits(time.monotonic), settings.server.max_body_bytes)
    return Parts(
        guard=guard,
        protocol=make_protocol(settings, families),
        running=make_running(settings),
        observer=watching.observers,
        registry=watching.metrics.registry,
        families={
            family.offer.family: family.check_readiness
            for family in families
            if family.check_readiness is not None
        },
        idle_stream=IdleStream(guard, _MAX_IDLE_STREAMS) if settings.server.get_stream else None,
        lifespans=[outermost, open_families(families), *access.lifespans],
    )
