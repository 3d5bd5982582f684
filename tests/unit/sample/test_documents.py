"""The sample documents say what is true of the service, and are sound Markdown."""

import importlib
import itertools
import re
from pathlib import Path
from typing import Final

import pytest

import vmk_mcp
from vmk_mcp.bootstrap.families import ROOMS
from vmk_mcp.cli.app import _COMMANDS as COMMANDS
from vmk_mcp.configuration.table import SETTINGS

FOLDER: Final = Path(vmk_mcp.__file__).parent / "sample" / "documents"
FILES: Final = sorted(FOLDER.rglob("*.md"))
SERVICE: Final = [path for path in FILES if path.parent.name == "service"]

# What follows the name of the service where it is no command.
PROSE: Final = {"http", "is"}


def ids(paths: list[Path]) -> list[str]:
    return [path.relative_to(FOLDER).as_posix() for path in paths]


def test_there_are_texts_in_both_languages_and_nothing_else() -> None:
    assert 25 <= len(FILES) <= 40
    assert [path for path in FOLDER.rglob("*") if path.is_file()] == [
        path for path in FOLDER.rglob("*") if path.suffix == ".md" and path.is_file()
    ]
    ukrainian = [path for path in FILES if len(re.findall("[а-яіїєґ]", path.read_text("utf-8"))) > 600]
    assert 15 <= len(ukrainian) <= len(FILES) - 10


@pytest.mark.parametrize("path", FILES, ids=ids(FILES))
def test_a_document_has_a_title_and_closed_fences_and_whole_tables(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert lines[0].startswith("# ")
    fences = [line for line in lines if line.startswith("```")]
    assert len(fences) % 2 == 0
    for line, following in itertools.pairwise(lines):
        if following.startswith("|---"):
            assert line.count("|") == following.count("|")


@pytest.mark.parametrize("path", SERVICE, ids=ids(SERVICE))
def test_what_is_said_of_the_service_is_there(path: Path) -> None:
    text = path.read_text("utf-8")
    declared = {declaration.name for declaration in SETTINGS}
    named = set(re.findall(r"\b(?:MCP|VECTOR|KB|DATABASE|PRICE|EMBED|VMK)_[A-Z_]+\b", text))
    assert named - declared == set()
    commands = set(re.findall(r"vmk-mcp ([a-z]+(?:-[a-z]+)*)", text)) - PROSE
    assert commands - set(COMMANDS) == set()


def test_every_tool_in_the_tables_of_tools_is_offered() -> None:
    offered = {tool.name for room in ROOMS.values() for tool in room.show().tools}
    text = (FOLDER / "service" / "02-listing-tools.md").read_text("utf-8")
    named = set(re.findall(r"^\| `([a-z_]+)`", text, re.MULTILINE))
    assert len(named) == 8
    assert named <= offered


def test_every_switch_of_the_watcher_that_is_told_of_exists() -> None:
    watch = importlib.import_module("vmk_mcp.cli.watch").watch
    switches = {name for option in watch.params for name in option.opts}
    text = (FOLDER / "service" / "07-watcher.md").read_text("utf-8")
    assert set(re.findall(r"(?<!-)--[a-z-]+(?= |`|\b)", text)) <= switches
