"""`contracts/api.md`: the tools, errors and exchanges as a person reads them, made of the other contracts."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.contract.exchange_files import every_exchange, exchange_paths, read_exchanges
from tests.contract.schema_files import entry_of, every_tool
from tests.contract.stage import CALLERS, CONTRACTS
from vmk_mcp.tool import AnyTool

API_PAGE: Final = CONTRACTS / "api.md"
_MOST_SHOWN: Final = 3
"""Items of a list that an example shows."""

_OPENING: Final = """\
# API

Made by `make contracts` of the tools' own schemas and of `errors.json` and `exchanges/` beside this page, and
held against them by a test.

One endpoint, `POST /mcp`: JSON-RPC 2.0 and MCP 2025-06-18 over streamable HTTP, without sessions.

```
POST /mcp HTTP/1.1
Authorization: Bearer <token>
Content-Type: application/json
Accept: application/json, text/event-stream

{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"...","arguments":{...}}}
```

A result stands in `result.structuredContent`, and as the same JSON in `result.content[0].text`; that of a
tool without an output schema in `result.content` alone. With `result.isError` true the text is `{"error",
"code", "hint", "retryable"}`, and `field` where one argument is at fault. A tool that a token may not call
does not exist for it.

Examples below cut long lists short.
"""

_RECORDS: Final = """\
## Recorded exchanges

`exchanges/*.json` hold whole HTTP requests and responses, as the service gives them over a handful of made-up
listings, in the form

```
{"name", "note", "request": {"method", "path", "headers", "body"}, "response": {"status", "headers", "body"}}
```

A `body` that is an object or a list stands for its compact JSON in UTF-8, members in the order shown; one
that is a string is the exact text; a message without `body` has none. Headers that differ from answer to
answer (`Date`, `Server-Timing`) stand in no record, and the server's version reads 0.0.0. The tokens are made
up too:
"""


def write_api_page() -> str:
    """Give the text of the page."""
    parts = [_OPENING, "## Tools\n", *map(_tell_tool, every_tool()), *_tell_errors(), _tell_records()]
    return "\n".join(parts)


def _tell_tool(tool: AnyTool) -> str:
    entry = entry_of(tool)
    example = next(exchange for exchange in every_exchange() if exchange["name"] == tool.name)
    arguments = example["request"]["body"]["params"].get("arguments", {})
    result = example["response"]["body"]["result"]
    shown = "structuredContent" if "structuredContent" in result else "content"
    rows = [_table_row(*row) for row in _arguments(entry["inputSchema"], "")]
    table = [_table_row("argument", "type", "default", "meaning"), "|---|---|---|---|", *rows]
    told = "\n".join(table) if rows else "No arguments."
    call = {"name": tool.name, "arguments": arguments}
    return (
        f"### `{tool.name}`\n\n{tool.title}. Family `{tool.family}`.\n\n{tool.description}\n\n{told}\n\n"
        f"Example of `params`:\n\n{_json(call)}\n\nand of `{shown}` in its answer:\n\n"
        f"{_json(_shorten(result[shown]))}\n"
    )


def _arguments(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, str, str, str]]:
    required = schema.get("required", ())
    for name, member in schema["properties"].items():
        place = f"{path}.{name}" if path else name
        default = json.dumps(member["default"]) if "default" in member else ""
        if name in required:
            default = "required"
        yield f"`{place}`", _type(member), default, _meaning(member)
        if member.get("type") == "object" and "properties" in member:
            yield from _arguments(member, place)


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    if schema["type"] == "array":
        return f"list of {_type(schema['items'])}"
    word = "text" if schema["type"] == "string" else str(schema["type"])
    return f"{word} ({schema['format']})" if "format" in schema else f"{word}{_range(schema)}"


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
    if low is None and high is None:
        return ""
    return f" {low:g} to {high:g}" if low is not None and high is not None else f" from {low:g}"


def _meaning(schema: Mapping[str, Any]) -> str:
    examples = [f"`{json.dumps(example, ensure_ascii=False)}`" for example in schema.get("examples", ())]
    told = [schema.get("description", ""), f"Such as {', '.join(examples)}." if examples else ""]
    return " ".join(part for part in told if part)


def _tell_errors() -> Iterator[str]:
    listed = json.loads((CONTRACTS / "errors.json").read_text(encoding="utf-8"))
    yield "## Errors\n\nA code, once here, is never renamed and never means anything else.\n"
    yield _tell_group("In a tool's result", listed["tool_errors"], ("code", "retryable"))
    yield _tell_group("JSON-RPC `error.code`", listed["jsonrpc_errors"], ("code", "http_status"))
    yield _tell_group(
        'Refused at the door, as `{"error", "message", "request_id"}`',
        listed["http_refusals"],
        ("status", "code"),
    )
    yield _tell_group(
        "As `reason_code` in a normal answer of `ask`, `run_sql` and `explain_sql`",
        listed["reason_codes"],
        ("code",),
    )
    yield _tell_group("On the command line only", listed["start_errors"], ("code",))


def _tell_group(title: str, entries: list[dict[str, Any]], keys: tuple[str, ...]) -> str:
    head = [key.replace("_", " ") for key in keys]
    rows = [
        _table_row(*(_cell(entry[key]) for key in keys), entry["meaning"], entry["what_to_do"])
        for entry in entries
    ]
    lines = [_table_row(*head, "meaning", "what to do"), "|---" * (len(keys) + 2) + "|", *rows]
    return f"### {title}\n\n" + "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"`{value}`" if isinstance(value, str) else str(value)


def _tell_records() -> str:
    tokens = [_table_row("token", "profile", "may use")]
    tokens.append("|---|---|---|")
    for token, caller in CALLERS.items():
        tokens.append(_table_row(f"`{token}`", caller.profile, ", ".join(sorted(caller.rights)) or "nothing"))
    files = [_table_row("file", "holds"), "|---|---|"]
    for path in exchange_paths():
        names = ", ".join(exchange["name"] for exchange in read_exchanges(path))
        files.append(_table_row(f"`{path.name}`", names))
    return f"{_RECORDS}\n" + "\n".join(tokens) + "\n\n" + "\n".join(files) + "\n"


def _table_row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _json(value: object) -> str:
    return f"```json\n{json.dumps(value, ensure_ascii=False, indent=2)}\n```"


def _shorten(value: Any) -> Any:
    """Cut lists after a few items, with a word on how many more there are."""
    if isinstance(value, dict):
        return {name: _shorten(inner) for name, inner in value.items()}
    if not isinstance(value, list):
        return value
    more = len(value) - _MOST_SHOWN
    shown = [_shorten(inner) for inner in value[:_MOST_SHOWN]]
    return [*shown, f"... {more} more"] if more > 0 else shown
