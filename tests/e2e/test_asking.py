"""Questions in words on the running service: the seed's demonstrations, rights, and a log that keeps all."""

import json
import signal
import time
from collections.abc import Iterator
from typing import Final

import pytest

from tests.e2e.service import Service, fresh_service

PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
KNOWN_WITHIN_S: Final = 10


def test_the_demonstrations_come_out_as_promised(service: Service) -> None:
    total = service.call("ask", {"question": "How many permits are there in total?"})["structuredContent"]
    assert [list(row.values()) for row in total["rows"]] == [[2_600]]
    held = service.call("ask", {"question": "How many permits does each contractor hold?"})[
        "structuredContent"
    ]
    assert held["row_count"] == 50
    vague = service.call("ask", {"question": "Show me the recent activity."})
    assert vague["isError"] is False
    assert vague["structuredContent"]["reason_code"] == "ambiguous_question"


@pytest.mark.parametrize("tool", ["run_sql", "explain_sql"])
def test_statements_of_ones_own_are_closed_to_a_token_that_does_not_name_them(
    service: Service, tool: str
) -> None:
    listed = service.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).json()["result"]["tools"]
    assert tool not in {one["name"] for one in listed}
    params = {"name": tool, "arguments": {"sql": "SELECT 1"}}
    answer = service.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).json()
    assert answer["error"]["code"] == -32602


@pytest.fixture(scope="module")
def asking() -> Iterator[Service]:
    """A service of this module's own, with a token that may run statements."""
    with fresh_service(VMK_FAMILIES="ask") as service:
        yield service


def make_token(service: Service) -> str:
    """Make a token that names `run_sql`, and wait until the service knows it."""
    made = service.run("token", "new", "analyst", "--tools", "ask.run_sql")
    assert made.returncode == 0, made.stderr
    token = made.stdout.strip()
    service.process.send_signal(signal.SIGHUP)
    deadline = time.monotonic() + KNOWN_WITHIN_S
    while service.post(PING, Authorization=f"Bearer {token}").status_code == 401:
        assert time.monotonic() < deadline, "the service does not read the new token"
        time.sleep(0.05)
    return token


def test_a_token_that_names_run_sql_runs_what_the_guard_lets_through(asking: Service) -> None:
    token = make_token(asking)
    for sql, code in (
        ("SELECT count(*) FROM permits", None),
        ("SELECT pg_sleep(60)", "function_not_allowed"),
    ):
        params = {"name": "run_sql", "arguments": {"sql": sql}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        result = asking.post(message, Authorization=f"Bearer {token}").json()["result"]
        assert result["structuredContent"]["reason_code"] == code


def test_what_was_asked_is_on_record_after_a_clean_stop(asking: Service) -> None:
    before = json.loads(asking.run("rejection-report").stdout)["total_queries"]
    for number in range(30):
        asking.call("ask", {"question": f"Show me the recent activity {number}."})
    assert asking.stop() == 0
    report = json.loads(asking.run("rejection-report").stdout)
    assert report["total_queries"] == before + 30
    assert report["rejected"] + report["accepted"] == report["total_queries"]
