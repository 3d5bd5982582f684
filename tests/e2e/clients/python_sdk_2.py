"""The official Python SDK 2.x: one JSON task as the argument, one JSON line as the answer."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    task = json.loads(sys.argv[1])
    headers = {"Authorization": f"Bearer {task['token']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(task["url"], http_client=http)) as client,
    ):
        await client.send_ping()
        listed = await client.list_tools()
        found = await client.call_tool(task["tool"], task["arguments"])
        failed = await client.call_tool(task["tool"], task["mistake"])
        answer = {
            "version": client.protocol_version,
            "pinged": True,
            "tools": [tool.name for tool in listed.tools],
            "found": found.structured_content,
            "failed": failed.is_error,
            "failure": failed.content[0].text,
        }
    json.dump(answer, sys.stdout)


asyncio.run(main())
