"""Who is let in: Origin and Host, then bearer token, media types, declared size and rate, in this order."""

from collections.abc import Collection
from ipaddress import ip_address, ip_network
from typing import Final, Protocol

from msgspec import Struct

from vmk_mcp.tool import Caller
from vmk_mcp.web.head import Head, admits_an_answer, is_json
from vmk_mcp.web.rates import RateLimits
from vmk_mcp.web.refusals import (
    HOST_NOT_ALLOWED,
    INVALID_TOKEN,
    NOT_ACCEPTABLE,
    ORIGIN_NOT_ALLOWED,
    TOKEN_MISSING,
    UNSUPPORTED_ENCODING,
    UNSUPPORTED_MEDIA_TYPE,
    Refusal,
    body_too_large,
)

_SCHEME: Final = b"bearer"
# Python refuses to read numbers of thousands of digits, and no length of that many is small.
_MOST_DIGITS: Final = 18


class Callers(Protocol):
    """Knows whose a bearer token is."""

    def find(self, token: bytes) -> Caller | None:
        """Give the caller that `token` stands for, or None for an unknown token."""


class Site(Struct, frozen=True):
    """Where the server may be called from and under which names.

    Attributes:
        origins: `Origin` values that are served, as scheme, host and port.
        hosts: `Host` values that are served, with or without a port; empty: any.
        proxies: addresses and networks (CIDR) whose `X-Forwarded-Host` is believed.
    """

    origins: Collection[str] = ()
    hosts: Collection[str] = ()
    proxies: Collection[str] = ()


class Guard:
    """Decides from a request's head whether it is served; a refusal is a value."""

    def __init__(self, site: Site, callers: Callers | Caller, rates: RateLimits, max_body_bytes: int) -> None:
        """Guard a site; a single `Caller` in the place of `callers` stands for everyone (auth off)."""
        self._origins = frozenset(origin.encode() for origin in site.origins) - {b"null"}
        self._hosts = frozenset(host.lower().encode() for host in site.hosts)
        self._proxies = [ip_network(proxy) for proxy in site.proxies]
        self._callers = callers
        self._rates = rates
        self.max_body_bytes = max_body_bytes

    def admit(self, head: Head) -> Caller | Refusal:
        """Let a POST to /mcp from a checked site in, or say why not; counts it against its token's rate."""
        caller = self.identify(head)
        if isinstance(caller, Refusal):
            return caller
        return _check_media(head) or self._check_length(head) or self._rates.take(caller) or caller

    def check_site(self, head: Head) -> Refusal | None:
        """Refuse a browser page or a host name that is not ours; looks at nothing else."""
        refusal = self.check_origin(head)
        if refusal is None and self._hosts and not self._names_us(head):
            return HOST_NOT_ALLOWED
        return refusal

    def check_origin(self, head: Head) -> Refusal | None:
        """Refuse a browser page that is not ours; a request without an `Origin` is a program's."""
        origin = head.headers.get(b"origin")
        return None if origin is None or origin in self._origins else ORIGIN_NOT_ALLOWED

    def identify(self, head: Head) -> Caller | Refusal:
        """Tell who calls by the bearer token (RFC 6750: no `error` where no token was sent)."""
        if isinstance(self._callers, Caller):
            return self._callers
        scheme, _, token = head.headers.get(b"authorization", b"").partition(b" ")
        token = token.strip()
        if not token or scheme.lower() != _SCHEME:
            return TOKEN_MISSING
        return self._callers.find(token) or INVALID_TOKEN

    def _names_us(self, head: Head) -> bool:
        host = head.headers.get(b"host", b"")
        forwarded = head.headers.get(b"x-forwarded-host")
        if forwarded is not None and self._trusts(head.peer):
            # Proxies append to the list: only the last entry is the trusted one's own word.
            host = forwarded.rpartition(b",")[2].strip()
        host = host.lower()
        return host in self._hosts or _without_port(host) in self._hosts

    def _trusts(self, peer: str | None) -> bool:
        try:
            address = ip_address(peer or "")
        except ValueError:  # a Unix socket has no address
            return False
        return any(address in network for network in self._proxies)

    def _check_length(self, head: Head) -> Refusal | None:
        declared = head.headers.get(b"content-length", b"0")
        if declared.isdigit() and (len(declared) > _MOST_DIGITS or int(declared) > self.max_body_bytes):
            return body_too_large(self.max_body_bytes)
        return None


def _check_media(head: Head) -> Refusal | None:
    if not admits_an_answer(head.headers.get(b"accept")):
        return NOT_ACCEPTABLE
    if not is_json(head.headers.get(b"content-type")):
        return UNSUPPORTED_MEDIA_TYPE
    if head.headers.get(b"content-encoding", b"identity").strip().lower() != b"identity":
        return UNSUPPORTED_ENCODING
    # A transfer coding beside chunked would have to be taken off first (RFC 9112, 6.1).
    if head.headers.get(b"transfer-encoding", b"chunked").strip().lower() != b"chunked":
        return UNSUPPORTED_ENCODING
    return None


def _without_port(host: bytes) -> bytes:
    # An IPv6 literal keeps its brackets: [::1]:8080 -> [::1].
    name, colon, port = host.rpartition(b":")
    return name if colon and port.isdigit() else host
