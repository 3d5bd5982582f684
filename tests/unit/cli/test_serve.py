"""What `vmk-mcp serve` says once it listens."""

import sys
from pathlib import Path

import pytest

from vmk_mcp.bootstrap.greeting import Greeting, LostStores
from vmk_mcp.cli.serve import greet
from vmk_mcp.cli.speech import started_as
from vmk_mcp.observe import StoreChanged

URL = "http://127.0.0.1:8080/mcp"


def test_the_sample_search_is_shown_where_it_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    greet(Greeting(url=URL, token="vmk_x", tools=("search_similar_listings", "echo")))
    shown = capsys.readouterr().err
    assert " call search_similar_listings" in shown
    assert "Token for this machine: vmk_x" in shown


def test_without_that_tool_no_call_of_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    greet(Greeting(url=URL, token=None, tools=("echo",)))
    shown = capsys.readouterr().err
    assert "search_similar_listings" not in shown
    assert " call --token YOUR_TOKEN\n" in shown
    assert "Bearer YOUR_TOKEN" in shown


def test_a_server_without_tokens_is_called_without_one(capsys: pytest.CaptureFixture[str]) -> None:
    greet(Greeting(url=URL, token=None, tools=("echo",), asks_token=False))
    assert " call\n" in capsys.readouterr().err


def test_a_database_that_is_away_is_told_in_one_plain_line(capsys: pytest.CaptureFixture[str]) -> None:
    greet(Greeting(url=URL, token="vmk_x", tools=("echo",), absent_postgres="db.example.com:5432"))
    assert "\nCalls fail until Postgres at db.example.com:5432 answers.\n" in capsys.readouterr().err


def test_a_database_is_away_from_its_loss_until_it_answers() -> None:
    lost = LostStores()
    assert not lost
    lost.observe(StoreChanged("listings", reachable=False))
    assert lost
    lost.observe(StoreChanged("listings", reachable=True))
    assert not lost


@pytest.mark.parametrize(
    ("program", "command"),
    [
        (".venv/bin/vmk-mcp", ".venv/bin/vmk-mcp"),
        ("/opt/my apps/vmk-mcp", "'/opt/my apps/vmk-mcp'"),
        ("/opt/site-packages/vmk_mcp/__main__.py", "/opt/python -m vmk_mcp"),
    ],
)
def test_the_printed_command_is_the_one_that_was_given(
    monkeypatch: pytest.MonkeyPatch, program: str, command: str
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", "/opt/python")
    monkeypatch.setattr(sys, "argv", [program, "serve"])
    assert started_as() == command


def test_a_command_that_the_shell_finds_is_printed_bare(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for folder in ("found", "other"):
        program = tmp_path / folder / "vmk-mcp"
        program.parent.mkdir()
        program.write_text("", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "found"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "found" / "vmk-mcp")])
    assert started_as() == "vmk-mcp"
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "other" / "vmk-mcp")])
    assert started_as() == str(tmp_path / "other" / "vmk-mcp")
