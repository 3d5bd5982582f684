"""What `vmk-mcp serve` says once it listens."""

import pytest

from vmk_mcp.bootstrap.greeting import Greeting
from vmk_mcp.cli.serve import greet

URL = "http://127.0.0.1:8080/mcp"


def test_the_sample_search_is_shown_where_it_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    greet(Greeting(URL, "vmk_x", ("search_similar_listings", "echo")))
    shown = capsys.readouterr().err
    assert "vmk-mcp call search_similar_listings" in shown
    assert "Token for this machine: vmk_x" in shown


def test_without_that_tool_no_call_of_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    greet(Greeting(URL, None, ("echo",)))
    shown = capsys.readouterr().err
    assert "search_similar_listings" not in shown
    assert "  vmk-mcp call\n" in shown
    assert "Bearer YOUR_TOKEN" in shown
