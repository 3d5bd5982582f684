"""Real clients, pinned: each opens, lists, searches in Ukrainian, and gets an error as an error."""

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import Struct

from tests.e2e.installs import ask_client, node_with, python_with
from tests.e2e.service import Service

SCRIPTS: Final = Path(__file__).with_name("clients")
TOOL: Final = "hybrid_search"
LIMIT: Final = 2
TASK: Final = {
    "tool": TOOL,
    "arguments": {
        "query": "двокімнатна квартира біля метро",
        "filters": {"city": "Київ"},
        "pagination": {"limit": LIMIT},
    },
    "mistake": {"query": "квартира", "pagination": {"limit": 0}},
}
LOGGED_WITHIN_S: Final = 5


class Client(Struct, frozen=True):
    """One client.

    Attributes:
        program: installs it and gives what runs its script.
        discovers: it opens with `server/discover`, of a later revision, and has to fall back.
        pings: it can ping and tell the agreed version.
    """

    script: str
    program: Callable[[], Sequence[str] | Path]
    discovers: bool = False
    pings: bool = True


CLIENTS: Final = [
    Client("python_sdk_1.py", partial(python_with, "mcp==1.30.0")),
    Client("python_sdk_2.py", partial(python_with, "mcp==2.3.0"), discovers=True),
    Client("fastmcp_client.py", partial(python_with, "fastmcp==4.2.3", "mcp==2.3.0"), discovers=True),
    Client(
        "langchain_adapters.py",
        partial(python_with, "langchain-mcp-adapters==0.3.2", "mcp==1.30.0"),
        pings=False,
    ),
    Client("typescript_sdk_1.mjs", partial(node_with, "@modelcontextprotocol/sdk@1.32.2")),
    Client("typescript_sdk_2.mjs", partial(node_with, "@modelcontextprotocol/client@2.4.0"), discovers=True),
    Client(
        "inspector.mjs",
        partial(node_with, "@modelcontextprotocol/inspector@2.12.0"),
        discovers=True,
        pings=False,
    ),
]


def tool_names(service: Service) -> list[str]:
    """Give the tools of the token for this machine, as the endpoint lists them."""
    listed = service.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).json()
    return [tool["name"] for tool in listed["result"]["tools"]]


def mark_log(service: Service, mark: str) -> int:
    """Have `mark` logged, the last line of all until now, and give the length of the log up to it."""
    service.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **{"X-Request-Id": mark})
    deadline = time.monotonic() + LOGGED_WITHIN_S
    while f'"{mark}"' not in (log := service.log):
        assert time.monotonic() < deadline, f"the mark is not logged:\n{log[-1000:]}"
        time.sleep(0.02)
    return len(log)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.script)
def test_a_client_opens_lists_searches_and_gets_an_error_as_an_error(
    service: Service, client: Client, tmp_path: Path
) -> None:
    program = client.program()
    start = mark_log(service, f"before-{client.script}")
    task = {"url": service.url, "token": service.token, **TASK}
    answer = ask_client(program, SCRIPTS / client.script, task, tmp_path)
    events = service.log[start : mark_log(service, f"after-{client.script}")].splitlines()
    assert_opened([json.loads(event) for event in events], discovers=client.discovers)
    assert answer["tools"] == tool_names(service)
    assert_searched(answer)
    if client.pings:
        assert (answer["pinged"], answer["version"]) == (True, "2025-06-18")


def assert_opened(events: list[dict[str, Any]], *, discovers: bool) -> None:
    """Check how the client opened; each of today's asks for a later version than the one that is spoken."""
    calls = [(one["method"], one["code"], one["status"]) for one in events if one["event"] == "call"]
    # Whoever gets another answer than this one to `server/discover` gives up instead of initializing.
    probe = [("server/discover", "-32601", 400)] if discovers else []
    opening = [*probe, ("initialize", "ok", 200)]
    assert calls[: len(opening)] == opening
    assert {one["outcome"] for one in events if one["event"] == "initialized"} == {"compatibility_success"}


def assert_searched(answer: dict[str, Any]) -> None:
    """Check what the search gave, and how the client was told of its mistake."""
    listings = answer["found"]["listings"]
    assert [listing["city"] for listing in listings] == ["Київ"] * LIMIT
    assert answer["failed"] is True
    failure = json.loads(answer["failure"])
    assert (failure["code"], failure["field"]) == ("invalid_arguments", "pagination.limit")
