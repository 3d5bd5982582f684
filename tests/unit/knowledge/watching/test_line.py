"""The watcher's line over MCP, on a transport that answers from a script."""

import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from vmk_mcp.client import McpClient, NotLetIn, ServerUnreachable
from vmk_mcp.knowledge.watching.line import NEEDED, McpIndexLine, NotDone
from vmk_mcp.knowledge.watching.model import Batch, IndexStanding, Operation, Standing, Verdict

STATS: Mapping[str, Any] = {
    "generation": "g7", "files": 3, "chunks": 9, "failed": 1, "failures": [], "model": "m",
    "dimensions": 8, "chunker": "c", "store": "pgvector",
}  # fmt: skip


class Service:
    """Answers calls with what was laid out for each tool."""

    def __init__(self, **results: Mapping[str, Any]) -> None:
        self.results = results
        self.tools: list[str] = list(NEEDED)
        self.calls: list[Mapping[str, Any]] = []

    def handle(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/health":
            return httpx.Response(200, json={"status": "ok", "tools": self.tools})
        message = json.loads(request.content)
        self.calls.append(message["params"])
        content = self.results[message["params"]["name"]]
        return httpx.Response(200, json={"id": message["id"], "result": {"structuredContent": content}})

    async def open_line(self, user_id: int | None = None) -> McpIndexLine:
        transport = httpx.MockTransport(self.handle)
        line = McpIndexLine(lambda: McpClient("http://127.0.0.1/mcp", "t", transport=transport), user_id)
        await line.open()
        return line


async def tell(done: float, total: float | None) -> None:
    """Take progress that no test asks for."""


async def test_what_became_of_each_file_is_told_in_the_watchers_words() -> None:
    files = [
        {"file_path": "a", "status": "indexed", "content_hash": "ab", "chunks": 2},
        {"file_path": "b", "status": "unchanged", "content_hash": "cd"},
        {"file_path": "c", "status": "skipped", "reason": "No text."},
        {"file_path": "d", "status": "failed", "reason": "Binary."},
        {"file_path": "e", "status": "failed", "reason": "Later.", "retryable": True},
    ]
    service = Service(add_vector_documents={"generation": "g", "files": files, "counts": {}})
    line = await service.open_line()
    assert await line.send(Batch(Operation.ADD, ("a", "b")), tell) == [
        Verdict("a", Standing.INDEXED, "ab"),
        Verdict("b", Standing.INDEXED, "cd"),
        Verdict("c", Standing.SKIPPED, reason="No text."),
        Verdict("d", Standing.FAILED, reason="Binary."),
        Verdict("e", Standing.SENT, reason="Later."),
    ]
    assert service.calls[0]["arguments"] == {"file_paths": ["a", "b"]}
    assert "progressToken" in service.calls[0]["_meta"]


async def test_a_users_watcher_names_the_user_in_every_call() -> None:
    empty = {"generation": "g", "files": [], "counts": {}}
    results = dict.fromkeys(Operation, empty) | {"get_index_stats": STATS, "reindex_vector": {}}
    service = Service(**results)
    line = await service.open_line(user_id=7)
    for operation in Operation:
        await line.send(Batch(operation, ("a",)), tell)
    await line.reindex(tell)
    assert await line.read_standing() == IndexStanding("g7", 3, 1)
    assert len(service.calls) == len(NEEDED)
    assert {call["arguments"]["user_id"] for call in service.calls} == {7}


@pytest.mark.parametrize("missing", NEEDED)
async def test_a_token_that_does_not_open_a_tool_is_told_which_right_it_needs(missing: str) -> None:
    service = Service()
    service.tools.remove(missing)
    with pytest.raises(NotLetIn, match=missing) as raised:
        await service.open_line()
    assert "knowledge.index" in raised.value.hint


async def test_a_service_without_an_index_yet_is_waited_for() -> None:
    line = await Service(get_index_stats={**STATS, "generation": ""}).open_line()
    with pytest.raises(NotDone, match="first index"):
        await line.read_standing()


async def test_an_answer_of_another_shape_is_no_service_of_ours() -> None:
    line = await Service(get_index_stats={"generation": 7}).open_line()
    with pytest.raises(ServerUnreachable, match="another service, or of another version"):
        await line.read_standing()


async def test_a_line_that_is_not_open_says_so() -> None:
    line = await Service().open_line()
    await line.close()
    with pytest.raises(ServerUnreachable, match="not open"):
        await line.read_standing()
