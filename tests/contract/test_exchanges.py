"""`contracts/exchanges/`: whole requests and responses, given again by the application byte for byte."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.contract.exchange_files import (
    EXCHANGES,
    Exchange,
    every_exchange,
    exchange_paths,
    play,
    read_body,
    read_exchanges,
    write_body,
    write_exchanges,
)
from tests.contract.schema_files import every_tool
from tests.contract.stage import make_app

METHODS: Final = """
initialize notifications/initialized notifications/cancelled ping tools/list tools/call resources/list
resources/templates/list resources/read prompts/list prompts/get completion/complete logging/setLevel
server/discover
"""
MEMBERS: Final = {"name", "note", "request", "response"}
JSONRPC_EXAMPLES: Final = 15
MCP_EXAMPLES: Final = 25


def named(path: Path) -> list[Any]:
    """Give the exchanges of a file, each under its name."""
    return [pytest.param(exchange, id=exchange["name"]) for exchange in read_exchanges(path)]


def bodies() -> list[dict[str, Any]]:
    """Give every request's body that is a JSON-RPC message."""
    texts = [write_body(exchange["request"].get("body", "")).decode() for exchange in every_exchange()]
    messages = [read_loosely(text) for text in texts]
    return [message for message in messages if isinstance(message, dict)]


def read_loosely(text: str) -> object:
    """Read JSON; what is none is None."""
    try:
        return json.loads(text)
    except ValueError:
        return None


@pytest.mark.parametrize("exchange", [each for path in exchange_paths() for each in named(path)])
async def test_the_application_answers_as_recorded(exchange: Exchange) -> None:
    played = await play(exchange["request"], make_app())
    recorded = exchange["response"]
    assert played == recorded, "run `make contracts` and read what it changed"
    assert write_body(played.get("body", "")) == write_body(recorded.get("body", ""))


async def test_another_answer_than_the_recorded_one_is_noticed() -> None:
    exchange = next(one for one in every_exchange() if one["name"] == "add")
    exchange["request"]["body"]["params"]["arguments"]["a"] += 1
    assert await play(exchange["request"], make_app()) != exchange["response"]


@pytest.mark.parametrize("path", exchange_paths(), ids=lambda path: path.stem)
def test_a_file_is_written_in_one_way(path: Path) -> None:
    exchanges = read_exchanges(path)
    assert path.read_text(encoding="utf-8") == write_exchanges(exchanges)
    for exchange in exchanges:
        assert set(exchange) == MEMBERS
        assert exchange["request"]["headers"]["x-request-id"] == exchange["name"]


def test_no_two_exchanges_share_a_name_or_a_request() -> None:
    exchanges = every_exchange()
    names = [exchange["name"] for exchange in exchanges]
    assert len(names) == len(set(names))
    requests = []
    for exchange in exchanges:
        request = json.loads(json.dumps(exchange["request"]))
        del request["headers"]["x-request-id"]
        requests.append(json.dumps(request, sort_keys=True))
    assert len(requests) == len(set(requests))


def test_only_the_exchanges_that_mean_to_show_a_bug_show_one() -> None:
    shown = [exchange["name"] for exchange in every_exchange() if "internal" in str(exchange["response"])]
    assert sorted(shown) == ["door-internal-error", "internal-error"]


def test_every_method_is_on_record() -> None:
    assert {message.get("method") for message in bodies()} >= set(METHODS.split())


def test_every_tool_is_on_record_under_its_own_name() -> None:
    called = {
        exchange["name"]: exchange["request"]["body"]["params"]["name"]
        for exchange in every_exchange()
        if exchange["name"] in {tool.name for tool in every_tool()}
    }
    assert called == {tool.name: tool.name for tool in every_tool()}


def test_the_examples_of_both_specifications_are_on_record() -> None:
    assert len(read_exchanges(EXCHANGES / "jsonrpc_specification.json")) == JSONRPC_EXAMPLES
    assert len(read_exchanges(EXCHANGES / "mcp_specification.json")) == MCP_EXAMPLES


@pytest.mark.parametrize(
    "body", [b'{"a":1}', b'{"a": 1}', b"[1,2.50]", b"{", b"7", b'"x"', '{"ї":"\\u0457"}'.encode()]
)
def test_the_form_on_record_gives_back_the_very_bytes(body: bytes) -> None:
    assert write_body(read_body(body)) == body
