"""The official Python SDK 1.x: one JSON task as the argument, one JSON line as the answer."""

import asyncio
import json
import sys

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    task = json.loads(sys.argv[1])
    headers = {"Authorization": f"Bearer {task['token']}"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=30) as http,
        streamable_http_client(task["url"], http_client=http) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        opened = await session.initialize()
        await session.send_ping()
        listed = await session.list_tools()
        found = await session.call_tool(task["tool"], task["arguments"])
        failed = await session.call_tool(task["tool"], task["mistake"])
        answer = {
            "version": opened.protocolVersion,
            "pinged": True,
            "tools": [tool.name for tool in listed.tools],
            "found": found.structuredContent,
            "failed": failed.isError,
            "failure": failed.content[0].text,
        }
    json.dump(answer, sys.stdout)


asyncio.run(main())
