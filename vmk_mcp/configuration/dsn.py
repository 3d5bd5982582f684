"""Postgres connection URIs: read leniently, checked part by part, never shown with their password."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import quote, unquote

from msgspec import Struct, field

from vmk_mcp.configuration.secret import Secret

_SCHEMES: Final = ("postgresql", "postgres")
_DEFAULT_PORT: Final = 5432
_HIGHEST_PORT: Final = 65535
_CHOICES: Final[Mapping[str, Sequence[str]]] = {
    "sslmode": ("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
    "target_session_attrs": ("any", "primary", "standby", "read-write", "read-only", "prefer-standby"),
}
# Asked of libpq itself, not of the server: asyncpg would send them as session parameters, which Postgres
# refuses with an error about an unknown parameter.
_LIBPQ_ONLY: Final = frozenset(
    {
        "channel_binding",
        "client_encoding",
        "connect_timeout",
        "fallback_application_name",
        "gssdelegation",
        "gssencmode",
        "keepalives",
        "keepalives_count",
        "keepalives_idle",
        "keepalives_interval",
        "load_balance_hosts",
        "pgbouncer",
        "require_auth",
        "sslcompression",
        "sslsni",
        "tcp_user_timeout",
    }
)
_SECRET_PARAMETERS: Final = frozenset({"password", "sslpassword"})

_HOST: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%\w]+\]|[^\[\]:@/?#\s]+)(?::(?P<port>[^\[\]:@/?#\s]*))?")
# RFC 3986: the authority ends at the first of `/?#`. A password with one of these, unencoded, does not fit.
_STANDARD: Final = re.compile(
    r"(?:(?P<login>[^@/?#]*)@)?(?P<hosts>[^@/?#]*)(?:/(?P<name>[^@/?#]*))?(?:\?(?P<query>.*))?"
)
# What people paste: everything up to the last `@` that leaves a proper rest is the login.
_PASTED: Final = re.compile(
    r"(?P<login>.*)@(?P<hosts>[^@/?#]*)(?:/(?P<name>[^@/?#]*))?(?:\?(?P<query>[^@?]*))?", re.DOTALL
)


class BadDsn(ValueError):
    """One part of a DSN cannot be; the text names the part and holds no password."""


class DsnHost(Struct, frozen=True):
    """One server: a name, an address or the folder of a Unix socket, and the port."""

    host: str
    port: int = _DEFAULT_PORT


class DsnParts(Struct, frozen=True, kw_only=True):
    """A DSN taken apart, all percent-encoding undone."""

    hosts: tuple[DsnHost, ...] = ()
    user: str | None = None
    password: Secret | None = None
    database: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        # Parameters may hold secrets too.
        return f"DsnParts({self.user!r}, {self.hosts!r}, {self.database!r}, {list(self.parameters)!r})"


class Dsn(Secret):
    """A DSN as asyncpg reads it.

    Attributes:
        parts: what it is made of.
        shown: the same without password, fit for logs.
        dropped: names of parameters that only libpq knows, left out.
    """

    __slots__ = ("dropped", "parts", "shown")

    def __init__(self, parts: DsnParts) -> None:
        """Write `parts` as one URI."""
        kept = {name: value for name, value in parts.parameters.items() if name not in _LIBPQ_ONLY}
        if kept.get("target_session_attrs") == "read-write":
            # Our sessions are read-only on purpose, so asyncpg would find no read-write server anywhere.
            kept["target_session_attrs"] = "primary"
        super().__init__(_write(parts, kept, parts.password))
        open_ones = {name: value for name, value in kept.items() if name not in _SECRET_PARAMETERS}
        self.parts = parts
        self.shown = _write(parts, open_ones, None)
        self.dropped = tuple(sorted(name for name in parts.parameters if name in _LIBPQ_ONLY))

    def __repr__(self) -> str:
        return f"Dsn({self.shown})"


def name_place(parts: DsnParts) -> str:
    """Give where a DSN points to, as HOST:PORT, or several of them."""
    named = (f"[{one.host}]" if ":" in one.host else one.host for one in parts.hosts)
    return (
        ", ".join(f"{host}:{one.port}" for host, one in zip(named, parts.hosts, strict=True)) or "localhost"
    )


def parse_dsn(text: str) -> Dsn:
    """Read a connection URI; a password may hold any character, percent-encoded or, where that is plain, raw.

    Raises:
        BadDsn: a part is missing or cannot be.
    """
    scheme, mark, rest = text.partition("://")
    if not mark or scheme not in _SCHEMES:
        raise BadDsn("must begin with postgresql://")
    for form in (_STANDARD, _PASTED):
        match = form.fullmatch(rest)
        if match is not None and _is_plausible(match["hosts"], match["query"]):
            return Dsn(_read_parts(match))
    raise BadDsn(_explain(rest))


def dsn_of_parts(host: str, *, port: str | None, database: str, user: str, password: str | None) -> Dsn:
    """Make a DSN of separately given parts; `host` may be a list with commas, or a socket's folder.

    Raises:
        BadDsn: the host or the port cannot be.
    """
    shared_port = _read_port(port) if port else _DEFAULT_PORT
    hosts = tuple(
        DsnHost(host=one.strip().strip("[]"), port=shared_port) for one in host.split(",") if one.strip()
    )
    if not hosts:
        raise BadDsn("the host is empty")
    return Dsn(
        DsnParts(hosts=hosts, user=user, password=Secret(password) if password else None, database=database)
    )


def _is_plausible(hosts: str, query: str | None) -> bool:
    hosts_fit = all(_HOST.fullmatch(one) for one in hosts.split(",")) if hosts else True
    ports_fit = all(match["port"] is None or match["port"].isdigit() for match in _matches(hosts))
    query_fits = all("=" in pair for pair in query.split("&")) if query else True
    return hosts_fit and ports_fit and query_fits


def _matches(hosts: str) -> Iterable[re.Match[str]]:
    return (match for one in hosts.split(",") if (match := _HOST.fullmatch(one)) is not None)


def _explain(rest: str) -> str:
    """Say which part of what follows the scheme cannot be read, without showing any of it."""
    tail = rest.rpartition("@")[2]
    hosts, _, query = tail.partition("?")
    hosts = hosts.partition("/")[0]
    if "?" in tail and not all("=" in pair for pair in query.split("&")):
        return "the parameters after ? must be name=value, joined by &"
    if "#" in tail:
        return "the part after the host holds a #; write it as %23"
    if not all(match["port"] is None or match["port"].isdigit() for match in _matches(hosts)):
        return "the port is not a number"
    return "the host cannot be read; in user and password write @ : / ? # % as %40 %3A %2F %3F %23 %25"


def _read_parts(match: re.Match[str]) -> DsnParts:
    login = match["login"] or ""
    user, _, password = login.partition(":")
    parameters = _read_parameters(match["query"] or "")
    user = unquote(user) or parameters.pop("user", "")
    password = unquote(password) or parameters.pop("password", "")
    database = unquote(match["name"] or "") or parameters.pop("dbname", "") or parameters.pop("database", "")
    ports = parameters.pop("port", "")
    hosts = match["hosts"] or parameters.pop("host", "")
    return DsnParts(
        hosts=_read_hosts(hosts, ports),
        user=user or None,
        password=Secret(password) if password else None,
        database=database or None,
        parameters=parameters,
    )


def _read_parameters(query: str) -> dict[str, str]:
    # `+` stays `+`: libpq has no form encoding.
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    parameters = {unquote(name): unquote(value) for name, _, value in pairs}
    for name, allowed in _CHOICES.items():
        if name in parameters and parameters[name] not in allowed:
            raise BadDsn(f"{name} must be one of {', '.join(allowed)}")
    return parameters


def _read_hosts(text: str, ports: str) -> tuple[DsnHost, ...]:
    if not text:
        raise BadDsn("the host is missing")
    hosts = text.split(",")
    shared = ports.split(",") if ports else [""]
    if len(shared) not in {1, len(hosts)}:
        raise BadDsn("there must be one port, or as many ports as hosts")
    shared = shared * len(hosts) if len(shared) == 1 else shared
    return tuple(_read_host(host, port) for host, port in zip(hosts, shared, strict=True))


def _read_host(text: str, port: str) -> DsnHost:
    if text.startswith("/"):
        return DsnHost(host=text, port=_read_port(port) if port else _DEFAULT_PORT)
    match = _HOST.fullmatch(text)
    if match is None:
        raise BadDsn("the host cannot be read")
    own_port = match["port"] or port
    return DsnHost(
        host=unquote(match["host"].strip("[]")), port=_read_port(own_port) if own_port else _DEFAULT_PORT
    )


def _read_port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _HIGHEST_PORT:
        raise BadDsn(f"the port must be a whole number from 1 to {_HIGHEST_PORT}")
    return int(text)


def _write(parts: DsnParts, parameters: Mapping[str, str], password: Secret | None) -> str:
    login = quote(parts.user or "", safe="")
    if password is not None:
        login += ":" + quote(password.reveal(), safe="")
    hosts, parameters = _place_hosts(parts.hosts, parameters)
    query = "&".join(
        f"{quote(name, safe='')}={quote(value, safe='/,:[]')}" for name, value in parameters.items()
    )
    return (
        "postgresql://"
        + (f"{login}@" if login else "")
        + hosts
        + "/"
        + quote(parts.database or "", safe="")
        + (f"?{query}" if query else "")
    )


def _place_hosts(hosts: Sequence[DsnHost], parameters: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    """Sockets and IPv6 addresses go into the query: in the authority urllib stumbles over a list of them."""
    if not any("/" in one.host or ":" in one.host for one in hosts):
        return ",".join(f"{quote(one.host, safe='')}:{one.port}" for one in hosts), parameters
    names = ",".join(f"[{one.host}]" if ":" in one.host else one.host for one in hosts)
    ports = ",".join(str(one.port) for one in hosts)
    return "", {"host": names, "port": ports, **parameters}
