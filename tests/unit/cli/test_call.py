"""`vmk-mcp call`: which server, which token, what is printed, which exit status."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from vmk_mcp.cli.app import main
from vmk_mcp.client import ClientError, NotLetIn, ServerUnreachable, ToolFailed
from vmk_mcp.client_messages import Initialized, ListedTool, ServerIdentity, ToolFailure
from vmk_mcp.web.local_access import AccessFolder
from vmk_mcp.web.token_edits import Grant

PAGE = {
    "total": 2,
    "search_path": "exact",
    "query_interpretation": None,
    "listings": [
        {
            "id": 7,
            "title": "Двокімнатна",
            "price": 85000.0,
            "city": "Київ",
            "description": "довго " * 20,
            "floor": None,
        },
        {"id": 8, "title": "Студія", "price": 41000.5, "city": "Львів", "similarity_score": 0.875},
    ],
}


class FakeServer:
    """Stands for `McpClient`; keeps how it was opened and called."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, str | None]] = []
        self.called: list[tuple[str, Mapping[str, object]]] = []
        self.answer: dict[str, Any] | ClientError = PAGE
        self.absent: set[str] = set()
        self.ignored_arguments: list[str] = []

    def __call__(self, url: str, token: str | None) -> "FakeServer":
        self.opened.append((url, token))
        return self

    async def __aenter__(self) -> "FakeServer":
        return self

    async def __aexit__(self, *error: object) -> None:
        return

    async def initialize(self) -> Initialized:
        """See `McpClient.initialize`."""
        return Initialized("2025-06-18", ServerIdentity("vmk-mcp", "1.2"))

    async def list_tools(self) -> list[ListedTool]:
        """See `McpClient.list_tools`."""
        return [ListedTool("echo", title="Echo"), ListedTool("add", title="Add")]

    async def call_tool(self, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        """See `McpClient.call_tool`."""
        if self.opened[-1][0] in self.absent:
            raise ServerUnreachable(f"no server answers at {self.opened[-1][0]}")
        self.called.append((name, arguments))
        if isinstance(self.answer, ClientError):
            raise self.answer
        return self.answer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeServer:
    fake = FakeServer()
    monkeypatch.setattr("vmk_mcp.cli.call.McpClient", fake)
    monkeypatch.chdir(tmp_path)
    for name in ("VMK_URL", "VMK_TOKEN", "MCP_PORT", "MCP_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    return fake


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["call", *arguments], input=stdin)


def test_a_list_of_objects_is_a_table_with_totals_beneath(server: FakeServer) -> None:
    result = run("search", '{"query": "двокімнатна"}')
    assert result.exit_code == 0
    assert server.called == [("search", {"query": "двокімнатна"})]
    lines = [line.split() for line in result.stdout.splitlines() if line.strip()]
    assert lines[1] == ["id", "title", "price", "city", "similarity"]
    assert lines[3] == ["7", "Двокімнатна", "85,000", "Київ"]
    assert lines[4] == ["8", "Студія", "41,000.50", "Львів", "0.875"]
    assert lines[5:] == [["total", "2"], ["search_path", "exact"]]


def test_without_a_tool_those_that_may_be_called_are_listed(server: FakeServer) -> None:
    listed = json.loads(run("--json").stdout)
    assert [tool["name"] for tool in listed["tools"]] == ["echo", "add"]
    assert listed["server"] == "vmk-mcp 1.2"
    assert server.called == []


def test_as_json_the_result_comes_whole(server: FakeServer) -> None:
    assert json.loads(run("search", "--json").stdout) == PAGE


def test_a_single_object_is_printed_field_by_field(server: FakeServer) -> None:
    server.answer = {
        "id": 7,
        "title": "Дім",
        "contact_phone": None,
        "images": ["a", "b"],
        "near": {"m": 5},
        "ok": True,
    }
    lines = [line.split(maxsplit=1) for line in run("get").stdout.splitlines()]
    assert lines == [["id", "7"], ["title", "Дім"], ["images", "a, b"], ["near", "m: 5"], ["ok", "yes"]]


def test_arguments_come_from_stdin_after_a_dash(server: FakeServer) -> None:
    assert run("get", "-", stdin='{"listing_id": 7}').exit_code == 0
    assert server.called == [("get", {"listing_id": 7})]


def test_a_tool_error_goes_to_stderr_with_its_hint_and_status_1(server: FakeServer) -> None:
    server.answer = ToolFailed(
        ToolFailure("limit is too low", "invalid_arguments", "Use 1 or more.", field="limit")
    )
    result = run("search")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == "Error: limit is too low (invalid_arguments, field limit).\nUse 1 or more.\n"


def test_an_absent_server_is_told_with_status_1(server: FakeServer) -> None:
    server.answer = ServerUnreachable("no server answers", hint="Start it.")
    result = run("search")
    assert (result.exit_code, result.stderr) == (1, "Error: no server answers\nStart it.\n")


@pytest.mark.parametrize("arguments", ["{", "[1]", '"x"'])
def test_arguments_that_are_no_object_are_a_misuse(server: FakeServer, arguments: str) -> None:
    result = run("search", arguments)
    assert result.exit_code == 2
    assert "ARGUMENTS" in result.stderr
    assert server.called == []


def test_the_server_last_started_here_is_called_with_the_local_token(
    server: FakeServer, tmp_path: Path
) -> None:
    access = AccessFolder(tmp_path)
    token = access.ensure_token(Grant(name="local"))
    access.note_address("http://127.0.0.1:9999/mcp")
    run("search")
    assert server.opened == [("http://127.0.0.1:9999/mcp", token)]


def test_the_local_token_is_not_shown_to_another_server(server: FakeServer, tmp_path: Path) -> None:
    AccessFolder(tmp_path).ensure_token(Grant(name="local"))
    run("search", "--url", "http://elsewhere/mcp")
    assert server.opened == [("http://elsewhere/mcp", None)]


def test_without_a_trace_of_a_server_the_port_of_the_settings_is_tried(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_PORT", "8123")
    run("search")
    assert server.opened == [("http://127.0.0.1:8123/mcp", None)]


def test_options_win_over_settings(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VMK_URL", "http://set/mcp")
    monkeypatch.setenv("VMK_TOKEN", "set")
    run("search")
    run("search", "--url", "http://told/mcp", "--token", "told")
    assert server.opened == [("http://set/mcp", "set"), ("http://told/mcp", "told")]


def test_wrong_settings_are_a_misuse_and_named(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_PORT", "many")
    result = run("search")
    assert result.exit_code == 2
    assert "MCP_PORT must be a whole number" in result.stderr


def test_when_the_server_last_started_is_gone_the_one_of_the_settings_is_asked(
    server: FakeServer, tmp_path: Path
) -> None:
    AccessFolder(tmp_path).note_address("http://127.0.0.1:9999/mcp")
    server.absent = {"http://127.0.0.1:9999/mcp"}
    assert run("search").exit_code == 0
    assert [url for url, _ in server.opened] == ["http://127.0.0.1:9999/mcp", "http://127.0.0.1:8080/mcp"]


def test_when_no_server_is_there_the_one_last_started_is_named(server: FakeServer, tmp_path: Path) -> None:
    AccessFolder(tmp_path).note_address("http://127.0.0.1:9999/mcp")
    server.absent = {"http://127.0.0.1:9999/mcp", "http://127.0.0.1:8080/mcp"}
    assert run("search").stderr == "Error: no server answers at http://127.0.0.1:9999/mcp\n"


def test_a_server_on_all_addresses_is_asked_at_the_loopback_one(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tokens.toml").write_text("token = []\n", encoding="utf-8")
    monkeypatch.setenv("MCP_HOST", "0.0.0.0")  # noqa: S104 (nothing is bound here)
    monkeypatch.setenv("MCP_TOKENS_FILE", str(tmp_path / "tokens.toml"))
    run("search")
    assert server.opened == [("http://127.0.0.1:8080/mcp", None)]


@pytest.mark.parametrize(
    ("told", "url"),
    [
        ("localhost:8080", "http://localhost:8080/mcp"),
        ("127.0.0.1:8080/", "http://127.0.0.1:8080/mcp"),
        ("http://[::1]:8080", "http://[::1]:8080/mcp"),
        ("http://127.0.0.1:8080/behind/mcp", "http://127.0.0.1:8080/behind/mcp"),
    ],
)
def test_an_address_of_this_machine_is_completed_and_shown_the_local_token(
    server: FakeServer, tmp_path: Path, told: str, url: str
) -> None:
    token = AccessFolder(tmp_path).ensure_token(Grant(name="local"))
    run("search", "--url", told)
    assert server.opened == [(url, token)]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ((), "No token was sent; give one with --token or VMK_TOKEN."),
        (("--token", "old"), "Make one."),
    ],
)
def test_a_refused_call_without_a_token_says_that_none_was_sent(
    server: FakeServer, options: tuple[str, ...], hint: str
) -> None:
    server.answer = NotLetIn("answered HTTP 401", hint="Make one.")
    assert run("search", *options).stderr == f"Error: answered HTTP 401\n{hint}\n"


def test_arguments_that_the_tool_does_not_know_are_named(server: FakeServer) -> None:
    server.ignored_arguments = ["city"]
    result = run("search", '{"city": "Київ"}', "--json")
    assert result.stderr == "ignored: city: no argument of this tool\n"
    assert json.loads(result.stdout) == PAGE
