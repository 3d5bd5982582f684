"""Fixtures give what is on record, byte for byte, and what the application gives for what means the same."""

import json
from collections.abc import Mapping
from typing import Any, Final

import httpx
import pytest

from tests.contract.exchange_files import VARYING, Exchange, every_exchange, write_body
from tests.contract.stage import CONTRACTS, HOST, make_app
from vmk_mcp.web.fixtures import MAX_BODY_BYTES, Fixtures
from vmk_mcp.web.records import read_records

FIXTURES: Final = Fixtures(read_records(CONTRACTS / "exchanges", MAX_BODY_BYTES), lambda line: None)
EXCHANGES: Final = [pytest.param(exchange, id=exchange["name"]) for exchange in every_exchange()]
MESSAGES: Final = [
    pytest.param(exchange, id=exchange["name"])
    for exchange in every_exchange()
    if isinstance(exchange["request"].get("body"), dict)
]


async def ask(app: Any, request: Mapping[str, Any], body: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send a request with another body to `app`; gives status, headers and body."""
    url = f"http://{HOST}{request['path']}"
    sent = httpx.Request(request["method"], url, headers=request["headers"], content=body)
    answer = await httpx.ASGITransport(app).handle_async_request(sent)
    headers = {name: value for name, value in answer.headers.items() if name not in VARYING}
    return answer.status_code, headers, await answer.aread()


@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_every_recorded_exchange_is_served_byte_for_byte(exchange: Exchange) -> None:
    request, response = exchange["request"], exchange["response"]
    answer = await ask(FIXTURES, request, write_body(request.get("body", "")))
    assert answer == (response["status"], response["headers"], write_body(response.get("body", "")))


def with_another_id(message: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(message.get("id"), int | str):
        return message
    # Of the same length where the answer tells its whole size.
    tells_size = message.get("params", {}).get("arguments") == {"listing_id": 900003}
    return {**message, "id": 2 if tells_size else 'ї-"7"'}


def in_another_order(message: dict[str, Any]) -> dict[str, Any]:
    return dict(reversed(message.items()))


def with_chatter(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params", {})
    if not isinstance(params, dict):
        return message
    chatter = {**params.get("_meta", {}), "progressToken": "ї", "io.example/client": {"name": "x"}}
    return {**message, "params": {**params, "_meta": chatter}}


def from_another_client(message: dict[str, Any]) -> dict[str, Any]:
    if message.get("method") != "initialize":
        return message
    return {**message, "params": {"protocolVersion": "1999-01-01", "clientInfo": {"name": "x"}}}


TELL_OF_PROGRESS = {"add_vector_documents", "update_vector_documents", "reindex_vector"}


@pytest.mark.parametrize("exchange", MESSAGES)
@pytest.mark.parametrize("change", [with_another_id, in_another_order, with_chatter, from_another_client])
async def test_what_is_taken_for_the_same_gets_what_the_application_would_answer(
    exchange: Exchange, change: Any
) -> None:
    request = exchange["request"]
    body = json.dumps(change(request["body"]), ensure_ascii=False).encode()
    served, due = await ask(FIXTURES, request, body), await ask(make_app(), request, body)
    if "progress" not in str(exchange["name"]) and exchange["name"] not in TELL_OF_PROGRESS:
        assert served == due
    else:  # another record may answer, under whose name it comes
        assert (served[0], served[2]) == (due[0], due[2])
