"""Serves recorded exchanges: an ASGI application without a database, for contract tests of platforms."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import Struct
from starlette.types import Receive, Scope, Send

from vmk_mcp.web.body import BodyReader, ClientGone
from vmk_mcp.web.head import Head, read_head
from vmk_mcp.web.likeness import Library, Nearest
from vmk_mcp.web.records import Record, Request
from vmk_mcp.web.refusals import Refusal, body_too_large
from vmk_mcp.web.replies import send_body, send_refusal

MAX_BODY_BYTES: Final = 1024 * 1024
"""As the recorded service has it."""

NOT_ON_RECORD: Final = "not_on_record"
# Of the range that JSON-RPC leaves to servers, far from the codes that MCP uses.
_NOT_ON_RECORD_CODE: Final = -32099

_MAX_AT_ONCE: Final = 64
_MOST_TOLD: Final = 5
_LONGEST_TOLD: Final = 120


class _NotOnRecord(Struct, frozen=True):
    """The body for a request that is no JSON-RPC request."""

    error: str
    message: str
    request_id: str
    nearest: str
    differences: Sequence[str]


class _Detail(Struct, frozen=True):
    code: str
    nearest: str
    differences: Sequence[str]


class _RpcError(Struct, frozen=True):
    code: int
    message: str
    data: _Detail


class _RpcAnswer(Struct, frozen=True):
    jsonrpc: str
    id: int | str
    error: _RpcError


class Fixtures:
    """Answers what is on record as recorded, and anything else by naming what is nearest."""

    def __init__(self, records: Sequence[Record], say: Callable[[str], None]) -> None:
        """Serve `records`, of which there is at least one; `say` is told in a line how each request fared."""
        self._library = Library(records)
        self._bodies = BodyReader(MAX_BODY_BYTES, _MAX_AT_ONCE)
        self._say = say

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        head = read_head(scope)
        try:
            body = await self._read(head, receive)
        except ClientGone:
            return
        if isinstance(body, Refusal):
            await send_refusal(send, head, body)
            return
        query = scope.get("query_string", b"").decode("latin-1")
        path = scope["path"] + (f"?{query}" if query else "")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers.items()}
        request = Request(head.method, path, headers, body)
        record = self._library.find(request)
        if record is not None:
            self._say(f"{record.name} ({record.file})")
            await _send_record(send, record, request)
        else:
            await self._send_nearest(send, head, request)

    async def _read(self, head: Head, receive: Receive) -> bytes | Refusal | None:
        """Read the body; None for one that is larger than the service reads."""
        declared = head.headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > MAX_BODY_BYTES:
            return None
        body = await self._bodies.read(receive)
        return None if body == body_too_large(MAX_BODY_BYTES) else body

    async def _send_nearest(self, send: Send, head: Head, request: Request) -> None:
        nearest = self._library.find_nearest(request)
        message = _describe(nearest)
        self._say(message)
        name, differences = nearest.record.name, nearest.differences
        if request.id is None:
            body: Struct = _NotOnRecord(NOT_ON_RECORD, message, head.request_id, name, differences)
            status = 404
        else:
            # With 200: for a 404 clients say that their session has ended, and never show the message.
            detail = _Detail(NOT_ON_RECORD, name, differences)
            body = _RpcAnswer("2.0", request.id, _RpcError(_NOT_ON_RECORD_CODE, message, detail))
            status = 200
        await send_body(send, head.without_origin(), status, msgspec.json.encode(body))


async def _send_record(send: Send, record: Record, request: Request) -> None:
    headers, body = record.answer(request)
    await send({"type": "http.response.start", "status": record.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _describe(nearest: Nearest) -> str:
    told = [_shorten(difference) for difference in nearest.differences[:_MOST_TOLD]]
    left = len(nearest.differences) - len(told)
    more = f", and {left} more" if left else ""
    return (
        f"This request is not on record. The nearest one is {nearest.record.name} in"
        f" exchanges/{nearest.record.file}.json; there {', '.join(told)}{more}."
    )


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_TOLD else text[: _LONGEST_TOLD - 1] + "…"
