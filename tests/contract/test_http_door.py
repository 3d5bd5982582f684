"""The door as MCP 2025-06-18 and RFC 6750 want it, driven over HTTP in process with a real tokens file."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic
from typing import Any, Final

import httpx
import pytest

from tests.fakes import RecordingObserver
from vmk_mcp.diagnostics.tools import OFFER
from vmk_mcp.protocol.profiles import load_profiles
from vmk_mcp.protocol.server import Protocol
from vmk_mcp.running import Running
from vmk_mcp.tool import Readiness
from vmk_mcp.web.app import Parts, create_app
from vmk_mcp.web.guard import Guard, Site
from vmk_mcp.web.metrics import MetricsObserver
from vmk_mcp.web.rates import RateLimits
from vmk_mcp.web.tokens import TokenFile
from vmk_mcp.web.vocabulary import Vocabulary

PROFILES: Final = load_profiles(Path(__file__).parents[2] / "contracts" / "profiles")
ORIGIN: Final = "http://127.0.0.1:8080"
TOKENS: Final = """
[[token]]
name = "superagent"
sha256 = "{fixed}"                 # of the token
profile = "fixed"
tools = ["diagnostics", "spatial", "ask.list_schema"]   # families or single tools
towns = ["榜头镇", "度尾镇"]            # spatial scope; "all" must be written out
contacts = false                     # contact_phone and contact_name come back null
rate_per_minute = 600                # per process: N workers hold 1/N each
user_ids = [7]                       # knowledge: whose folders; "all" must be written out

[[token]]
name = "bare"
sha256 = "{bare}"
"""


async def stand_ready() -> Readiness:
    return Readiness("ok")


def guard_of(folder: Path) -> Guard:
    path = folder / "tokens.toml"
    hashes = {name: hashlib.sha256(f"{name}-token".encode()).hexdigest() for name in ("fixed", "bare")}
    path.write_text(TOKENS.format(**hashes), encoding="utf-8")
    words = Vocabulary(("diagnostics", "spatial", "ask"), {}, set(PROFILES))
    tokens = TokenFile(path, words, RecordingObserver())
    return Guard(Site(origins=(ORIGIN,)), tokens, RateLimits(monotonic), 1024 * 1024)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    protocol = Protocol(
        server_name="vmk-mcp",
        server_version="1",
        instructions="",
        offers=[OFFER],
        profiles=PROFILES,
        max_response_bytes=2 * 1024 * 1024,
    )
    parts = Parts(
        guard=guard_of(tmp_path),
        protocol=protocol,
        running=Running(8, 8),
        observer=RecordingObserver(),
        registry=MetricsObserver().registry,
        families={"diagnostics": stand_ready},
    )
    headers = {"authorization": "Bearer fixed-token", "accept": "application/json, text/event-stream"}
    transport = httpx.ASGITransport(create_app(parts))
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as client:
        yield client


def request(method: str, params: object = None, id_: object = 1) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": id_, "method": method}
    return message if params is None else message | {"params": params}


async def test_a_client_opens_lists_and_calls(client: httpx.AsyncClient) -> None:
    opening = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    }
    opened = await client.post("/mcp", json=request("initialize", opening))
    assert opened.json()["result"]["protocolVersion"] == "2025-06-18"
    initialized = await client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (initialized.status_code, initialized.content) == (202, b"")
    listed = await client.post("/mcp", json=request("tools/list"))
    assert "add" in [tool["name"] for tool in listed.json()["result"]["tools"]]
    added = await client.post(
        "/mcp", json=request("tools/call", {"name": "add", "arguments": {"a": 2, "b": 3}})
    )
    assert added.json()["result"]["structuredContent"] == {"sum": 5}


async def test_clients_of_later_versions_are_told_to_open_the_usual_way(client: httpx.AsyncClient) -> None:
    headers = {"mcp-protocol-version": "2026-07-28"}
    answer = await client.post("/mcp", json=request("server/discover", {}, "d1"), headers=headers)
    assert (answer.status_code, answer.json()["id"], answer.json()["error"]["code"]) == (400, "d1", -32601)


@pytest.mark.parametrize("id_", [0, "", "7", -5, 2**53 - 1])
async def test_an_id_comes_back_unchanged(client: httpx.AsyncClient, id_: object) -> None:
    answer = (await client.post("/mcp", json=request("ping", id_=id_))).json()
    assert (answer["id"], type(answer["id"])) == (id_, type(id_))


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ('{"jsonrpc":"2.0","id":1', 400, -32700),
        ("[]", 400, -32600),
        ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600),
        ('{"jsonrpc":"2.0","id":1,"method":"no/such"}', 200, -32601),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such"}}', 200, -32602),
    ],
)
async def test_errors_of_the_protocol_have_their_http_status(
    client: httpx.AsyncClient, body: str, status: int, code: int
) -> None:
    answer = await client.post("/mcp", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_a_tool_that_the_token_lacks_does_not_exist_for_it(client: httpx.AsyncClient) -> None:
    bare = {"authorization": "Bearer bare-token"}
    listed = await client.post("/mcp", json=request("tools/list"), headers=bare)
    assert listed.json()["result"]["tools"] == []
    called = await client.post("/mcp", json=request("tools/call", {"name": "echo"}), headers=bare)
    assert called.json()["error"]["code"] == -32602


async def test_a_token_in_the_address_is_never_read(client: httpx.AsyncClient) -> None:
    del client.headers["authorization"]
    for name in ("token", "access_token", "authorization"):
        answer = await client.post(f"/mcp?{name}=fixed-token", json=request("ping"))
        assert answer.status_code == 401


async def test_a_refused_page_learns_nothing_whatever_it_sends(client: httpx.AsyncClient) -> None:
    evil = {"origin": "http://127.0.0.1:8080.evil.net"}
    for method, path in (
        ("POST", "/mcp"),
        ("GET", "/mcp"),
        ("OPTIONS", "/mcp"),
        ("GET", "/health"),
        ("GET", "/metrics"),
    ):
        answer = await client.request(method, path, headers=evil)
        assert (answer.status_code, answer.json()["error"]) == (403, "origin_not_allowed")
        assert "access-control-allow-origin" not in answer.headers


async def test_operators_see_that_it_lives_and_is_ready(client: httpx.AsyncClient) -> None:
    del client.headers["authorization"]
    assert (await client.get("/health")).json() == {"status": "ok"}
    assert (await client.get("/ready")).json() == {"status": "ok", "families": {"diagnostics": "ok"}}
