"""Exchanges on file: whole HTTP requests and responses, and how they are played against the application.

A body that is a JSON object or array stands for its compact form, members in the order shown; a string is the
exact text of the body; a message without a body has no member of that name.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
from starlette.applications import Starlette

from tests.contract.stage import CONTRACTS, HOST

EXCHANGES: Final = CONTRACTS / "exchanges"
VARYING: Final = frozenset({"server-timing"})
"""Response headers that tell of one run and stand in no record."""

Message = dict[str, Any]
Exchange = dict[str, Any]


def exchange_paths() -> Sequence[Path]:
    """Give the files, in order."""
    return sorted(EXCHANGES.glob("*.json"))


def read_exchanges(path: Path) -> list[Exchange]:
    """Read one file."""
    exchanges: list[Exchange] = json.loads(path.read_text(encoding="utf-8"))
    return exchanges


def write_exchanges(exchanges: Sequence[Exchange]) -> str:
    """Give the text of a file."""
    return json.dumps(exchanges, ensure_ascii=False, indent=2) + "\n"


def every_exchange() -> list[Exchange]:
    """Give the exchanges of all files."""
    return [exchange for path in exchange_paths() for exchange in read_exchanges(path)]


async def play(request: Mapping[str, Any], app: Starlette) -> Message:
    """Send `request` to `app` and give its response in the form of the files."""
    sent = httpx.Request(
        request["method"],
        f"http://{HOST}{request['path']}",
        headers=request["headers"],
        content=write_body(request.get("body", "")),
    )
    response = await httpx.ASGITransport(app).handle_async_request(sent)
    body = await response.aread()
    headers = {name: value for name, value in response.headers.items() if name not in VARYING}
    played: Message = {"status": response.status_code, "headers": headers}
    return played | ({"body": read_body(body)} if body else {})


def write_body(body: object) -> bytes:
    """Give the bytes that the body of a record stands for."""
    return (body if isinstance(body, str) else _compact(body)).encode()


def read_body(body: bytes) -> object:
    """Give the body's form on record: as JSON where that stands for these very bytes, else as text."""
    text = body.decode()
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict | list) and _compact(value) == text else text


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
