"""The recipes of the README for connecting a client, run as they stand there."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.installs import ask_client, node_with, python_with, run
from tests.e2e.service import VMK_MCP, Service
from tests.e2e.test_clients import SCRIPTS, TASK, assert_searched, tool_names

README: Final = Path(__file__).parents[2] / "README.md"
ADDRESS: Final = "http://127.0.0.1:8080/mcp"
PROGRAM: Final = "/path/to/vmk-mcp/.venv/bin/vmk-mcp"
PYTHON_CLIENT: Final = "mcp==2.3.0"
CLAUDE_CODE: Final = "@anthropic-ai/claude-code@2.1.197"


def recipe(title: str, service: Service) -> str:
    """Give the code beneath a title of the README, with the running service's address."""
    found = re.search(
        rf"^\*\*{re.escape(title)}\*\*.*?^```\w+\n(.*?)^```",
        README.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert found is not None, f"the README has no recipe {title!r}"
    return found[1].replace(ADDRESS, service.url)


@pytest.fixture
def checkout(service: Service, tmp_path: Path) -> Path:
    """A folder that has the token where a checkout has it after `make run`."""
    (tmp_path / ".data").mkdir()
    shutil.copy(service.data_dir / "token", tmp_path / ".data" / "token")
    return tmp_path


def test_claude_code_connects_after_the_line_of_the_readme(service: Service, checkout: Path) -> None:
    # The package's own script links this program, and scripts are not run here.
    (program,) = (node_with(CLAUDE_CODE) / "node_modules" / "@anthropic-ai").glob("claude-code-*/claude")
    line = recipe("Claude Code", service).replace("claude", shlex.quote(str(program)), 1)
    added = run(["sh", "-c", line], checkout, cwd=checkout)
    assert added.returncode == 0, added.stderr
    listed = run([str(program), "mcp", "list"], checkout, cwd=checkout)
    assert re.search(r"^vmk-mcp: .* Connected$", listed.stdout, re.MULTILINE), listed.stdout


def test_claude_desktop_is_served_over_stdio_by_its_configuration(service: Service, tmp_path: Path) -> None:
    configuration = json.loads(recipe("Claude Desktop", service).replace(PROGRAM, VMK_MCP))
    server = configuration["mcpServers"]["vmk-mcp"]
    # The folder of the running service stands for the checkout's, so that no second server is filled.
    task = {"server": {**server, "env": {"DATA_DIR": str(service.data_dir)}}, **TASK}
    answer = ask_client(python_with(PYTHON_CLIENT), SCRIPTS / "python_stdio.py", task, tmp_path)
    assert answer["version"] == "2025-06-18"
    assert answer["tools"] == tool_names(service)
    assert_searched(answer)


def test_the_python_client_of_the_readme_lists_and_calls(service: Service, checkout: Path) -> None:
    script = checkout / "recipe.py"
    script.write_text(recipe("The official Python client", service), encoding="utf-8")
    done = run([*python_with(PYTHON_CLIENT), str(script)], checkout, cwd=checkout)
    assert done.returncode == 0, done.stderr
    listed, found = done.stdout.splitlines()
    assert listed == str(tool_names(service))
    assert int(found) > 0


def test_the_curl_line_of_the_readme_gets_a_listing(service: Service, checkout: Path) -> None:
    done = run(["sh", "-c", recipe("curl", service)], checkout, cwd=checkout)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["structuredContent"]["id"] == 1


def test_the_first_call_of_the_readme_prints_what_the_readme_shows(service: Service, checkout: Path) -> None:
    text = README.read_text("utf-8")
    found = re.search(
        r"^```sh\n(\.venv/bin/vmk-mcp call .*?)^```.*?^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL
    )
    assert found is not None, "the README shows no call"
    line = found[1].replace(".venv/bin/vmk-mcp", shlex.quote(VMK_MCP))
    shell = ["env", f"DATA_DIR={service.data_dir}", "sh", "-c", line]
    done = run(shell, checkout, cwd=checkout)
    assert done.returncode == 0, done.stderr
    assert rows_and_remarks(done.stdout) == rows_and_remarks(found[2])


def rows_and_remarks(output: str) -> tuple[list[str], list[str]]:
    """Give the ids of a printed table and the lines beneath it; the table itself is as wide as its screen."""
    table, _, beneath = output.partition("\ntotal")
    ids = re.findall(r"^ *(\d+) {2,}", table, re.MULTILINE)
    assert ids
    return ids, [line.rstrip() for line in f"total{beneath}".splitlines() if line.strip()]
