"""The way of one call in a soak: over HTTP, by a token that may be revoked, with every fate told apart."""

import hashlib
import json
import secrets
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
from msgspec import Struct

from tests.e2e.knowledge.watching import write_whole
from tests.e2e.service import HEADERS
from tests.e2e.soak.ledger import Ledger

ANSWERED_WITHIN_S: Final = 30.0
"""A statement has 5 s and a wait for a connection 7 s; a call may need two of each."""

RATE_PER_MINUTE: Final = 60
_SENT_BEFORE_S: Final = 0.5
"""What was sent so long before the service was told to end has been read by it."""

_OK: Final = 200
_UNKNOWN_TOKEN: Final = 401
_NOT_NOW: Final = frozenset({429, 503})


class Keyring:
    """The tokens file, and the tokens in the clear; `replace` revokes one and adds another.

    Attributes:
        steady: a token that is always good.
        passing: a token that is good until it is replaced.
        limited: a token with a rate.
        operator: a token that may index documents and read metrics.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.steady, self.passing, self.limited, self.operator = (_make_token() for _ in range(4))
        self._write()

    @property
    def lasting(self) -> frozenset[str]:
        """The tokens that are good all the time."""
        return frozenset({self.steady, self.limited, self.operator})

    def replace(self) -> str:
        """Put another token in the place of the passing one, and give the one that was revoked."""
        revoked, self.passing = self.passing, _make_token()
        self._write()
        return revoked

    def _write(self) -> None:
        families = '"listings", "spatial", "knowledge", "ask"'
        entries = [
            _entry("steady", self.steady, families),
            _entry("passing", self.passing, families),
            _entry("limited", self.limited, families, f"rate_per_minute = {RATE_PER_MINUTE}"),
            _entry("operator", self.operator, f'{families}, "knowledge.index", "metrics"'),
        ]
        write_whole(self.path, "\n".join(entries).encode())


class Answer(Struct, frozen=True):
    """What came back for a call."""

    status: int
    retry_after: str
    message: Mapping[str, Any]
    token: str
    began: float


class Door:
    """Where the service is called.

    Attributes:
        ledger: told of every call.
        left_at: when the service was told to end, in seconds of the monotonic clock; infinite until then.
    """

    def __init__(self, url: str, ledger: Ledger, keyring: Keyring) -> None:
        self.url = url
        self.ledger = ledger
        self.keyring = keyring
        self.left_at = float("inf")

    def open(self) -> httpx.AsyncClient:
        """Give a client of its own."""
        return httpx.AsyncClient(timeout=ANSWERED_WITHIN_S, trust_env=False, headers=HEADERS)

    async def call(
        self, client: httpx.AsyncClient, token: str, tool: str, arguments: Mapping[str, Any]
    ) -> Answer | None:
        """Call a tool; None where no answer came, which is complained of unless the service was leaving."""
        began = time.monotonic()
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        try:
            reply = await client.post(self.url, json=message, headers={"Authorization": f"Bearer {token}"})
        except httpx.TransportError as lost:
            if began < self.left_at - _SENT_BEFORE_S:
                took = time.monotonic() - began
                self.ledger.complain(f"a call of {tool} was lost after {took:.2f} s: {lost!r}")
            return None
        return Answer(reply.status_code, reply.headers.get("retry-after", ""), _decode(reply), token, began)

    def judge(self, tool: str, answer: Answer) -> Mapping[str, Any] | None:
        """Give the result of a call that went well, which is still to be booked; else book its fate."""
        if answer.status in _NOT_NOW and answer.retry_after.isdecimal():
            self.ledger.book(tool, f"HTTP {answer.status}", answer.began)
        elif answer.status == _UNKNOWN_TOKEN and answer.token not in self.keyring.lasting:
            self.ledger.book_failure(tool, "HTTP 401", answer.began, str(answer.message))
        elif answer.status != _OK or "result" not in answer.message:
            self.ledger.complain(f"{tool} was answered with {answer.status} and {answer.message}")
        elif answer.message["result"].get("isError"):
            self._judge_error(tool, answer, json.loads(answer.message["result"]["content"][0]["text"]))
        else:
            result: Mapping[str, Any] = answer.message["result"]
            return result
        return None

    def _judge_error(self, tool: str, answer: Answer, error: Mapping[str, Any]) -> None:
        if error["retryable"]:
            self.ledger.book_failure(tool, error["code"], answer.began, str(error))
        else:
            self.ledger.complain(f"{tool} failed for good: {error}")


def _decode(reply: httpx.Response) -> Mapping[str, Any]:
    try:
        message: Mapping[str, Any] = reply.json()
    except ValueError:
        return {"undecodable": reply.text[:400]}
    return message


def _make_token() -> str:
    return f"soak-{secrets.token_urlsafe(24)}"


def _entry(name: str, token: str, rights: str, *more: str) -> str:
    digest = hashlib.sha256(token.encode()).hexdigest()
    lines: Sequence[str] = (
        f'[[token]]\nname = "{name}"\nsha256 = "{digest}"\ntools = [{rights}]\ntowns = "all"\n',
        *(f"{line}\n" for line in more),
    )
    return "".join(lines)
