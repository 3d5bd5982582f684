"""Several hosts in one DSN, met one by one: one that does not answer uses up no time of the next."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import asyncpg

from vmk_mcp.database.failures import HostSilent

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

_CONNECT_TIMEOUT_S: Final = 5.0

_NOT_THIS_ONE: Final = (OSError, asyncpg.CannotConnectNowError, asyncpg.TargetServerAttributeNotMatched)
"""The host is away, starts or stops, or is a primary where a standby is wanted; another one may serve."""


async def connect_first(dsn: str, **options: Any) -> Connection:
    """Connect to the first host of `dsn` that answers and is what `target_session_attrs` asks for.

    The driver would do so too, but has one time limit for all: a first host that is cut off would use it up.

    Args:
        dsn: as `configuration.dsn.Dsn` writes it.
        options: of `asyncpg.connect`.

    Raises:
        OSError: or another one of `DRIVER_ERRORS`, as the last host tried gave it.
    """
    *others, last = list_hosts(dsn)
    for one in others:
        try:
            return await _connect(one, options)
        except _NOT_THIS_ONE:
            continue
    return await _connect(last, options)


def list_hosts(dsn: str) -> list[str]:
    """Give a DSN for each host of `dsn`, in the order in which they are to be tried.

    With `prefer-standby` all are tried for a standby first, and then for anything.
    """
    place, _, query = dsn.partition("?")
    parameters = dict(pair.partition("=")[::2] for pair in query.split("&") if pair)
    if parameters.get("target_session_attrs") != "prefer-standby":
        return _name_hosts(place, parameters)
    return [
        one
        for wanted in ("standby", "any")
        for one in _name_hosts(place, parameters | {"target_session_attrs": wanted})
    ]


async def _connect(dsn: str, options: Mapping[str, Any]) -> Connection:
    try:
        return await asyncpg.connect(dsn, timeout=_CONNECT_TIMEOUT_S, **options)
    except TimeoutError as error:
        raise HostSilent from error


def _name_hosts(place: str, parameters: Mapping[str, str]) -> list[str]:
    scheme, _, rest = place.partition("://")
    authority, slash, database = rest.partition("/")
    login, at, hosts = authority.rpartition("@")
    if hosts or "host" not in parameters:
        return [
            _write(f"{scheme}://{login}{at}{host}{slash}{database}", parameters) for host in hosts.split(",")
        ]
    # Sockets and IPv6 addresses stand here, each with its port.
    named = zip(parameters["host"].split(","), parameters["port"].split(","), strict=True)
    return [_write(place, {**parameters, "host": host, "port": port}) for host, port in named]


def _write(place: str, parameters: Mapping[str, str]) -> str:
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return f"{place}?{query}" if query else place
