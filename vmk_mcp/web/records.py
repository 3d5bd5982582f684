"""Recorded exchanges as they lie in `contracts/exchanges`, and their answers, byte for byte."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeGuard

import msgspec
from msgspec import Struct

from vmk_mcp.errors import StartError
from vmk_mcp.web.refusals import Headers

_EVENT_STREAM: Final = (b"content-type", b"text/event-stream")

# Our envelopes begin like this, alone in a body or as an event of a stream.
_BEFORE_ID: Final = rb'(?m)^((?:data: )?\{"jsonrpc":"2\.0","id":)'
_BEFORE_TOKEN: Final = (
    rb'(?m)^(data: \{"jsonrpc":"2\.0","method":"notifications/progress","params":\{"progressToken":)'
)


class Request(Struct, frozen=True):
    """A request, on record or sent.

    Attributes:
        path: with the query, if there is one.
        headers: by lower-case name.
        body: None for one that is larger than the service reads.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None

    @property
    def message(self) -> object:
        """The body as JSON, or a `NoJson`."""
        try:
            value: object = json.loads((self.body or b"").decode())
        except (ValueError, RecursionError):
            return NoJson((self.body or b"").decode(errors="backslashreplace"))
        return value

    @property
    def id(self) -> int | str | None:
        """The id of the JSON-RPC message, or None where it has none that an answer could bear."""
        return _read_token(self.message, "id")

    @property
    def progress_token(self) -> int | str | None:
        """The token under which progress is to be told, or None."""
        return _read_token(self.message, "params", "_meta", "progressToken")


class NoJson(str):
    """The text of a body that is no JSON."""

    __slots__ = ()


class Record(Struct, frozen=True):
    """An exchange on record: its name, the file that holds it, and what was sent both ways."""

    name: str
    file: str
    request: Request
    status: int
    headers: Headers
    body: bytes

    @property
    def is_stream(self) -> bool:
        """The answer is a stream of events, which only a client that takes one by name gets."""
        return _EVENT_STREAM in self.headers

    def answer(self, request: Request) -> tuple[Headers, bytes]:
        """Give headers and body for a `request` that has its own id and progress token, or the recorded ones.

        All but those two is as recorded, byte for byte.
        """
        body = _replace(self.body, _BEFORE_ID, self.request.id, request.id)
        body = _replace(body, _BEFORE_TOKEN, self.request.progress_token, request.progress_token)
        length = str(len(body)).encode()
        headers = [(name, length if name == b"content-length" else value) for name, value in self.headers]
        return tuple(headers), body


class _Sent(Struct):
    method: str
    path: str
    headers: dict[str, str]
    body: object = ""


class _Answered(Struct):
    status: int
    headers: dict[str, str]
    body: object = ""


class _Exchange(Struct):
    name: str
    request: _Sent
    response: _Answered


_READER: Final = msgspec.json.Decoder(list[_Exchange])


def read_records(folder: Path, max_body_bytes: int) -> Sequence[Record]:
    """Read every `*.json` of `folder`; a request that declares more than `max_body_bytes` has no body.

    Raises:
        StartError: no exchange is there, or a file holds none.
    """
    records: list[Record] = []
    for path in sorted(folder.glob("*.json")):
        try:
            exchanges = _READER.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError):
            raise StartError(
                f"{path.name} is no readable file of exchanges.", hint="Install vmk-mcp anew."
            ) from None
        records += (_make_record(path.stem, exchange, max_body_bytes) for exchange in exchanges)
    if not records:
        raise StartError("No recorded exchange was found.", hint="Install vmk-mcp anew.")
    return records


def is_id(value: object) -> TypeGuard[int | str]:
    """Say whether `value` can be an id or a progress token."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def canonical(value: object) -> str:
    """Give JSON in one form: members sorted, for their order means nothing; 1, 1.0 and true stay apart."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _read_token(message: object, *path: str) -> int | str | None:
    value = message
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if is_id(value) else None


def _replace(body: bytes, before: bytes, recorded: int | str | None, wanted: int | str | None) -> bytes:
    if recorded is None or wanted is None:
        return body
    new = canonical(wanted).encode()
    old = re.escape(canonical(recorded).encode())
    return re.sub(before + old + b"(?=,)", lambda found: found[1] + new, body)


def _make_record(file: str, exchange: _Exchange, max_body_bytes: int) -> Record:
    sent, answered = exchange.request, exchange.response
    is_read = int(sent.headers.get("content-length", "0")) <= max_body_bytes
    request = Request(sent.method, sent.path, sent.headers, _write_body(sent.body) if is_read else None)
    headers = tuple((name.encode(), value.encode()) for name, value in answered.headers.items())
    return Record(exchange.name, file, request, answered.status, headers, _write_body(answered.body))


def _write_body(body: object) -> bytes:
    # In the files a text stands for itself, and anything else for its compact JSON of the standard library.
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode()
