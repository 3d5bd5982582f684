"""The official Python SDK 2.x over stdio: one JSON task as the argument, one JSON line as the answer."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def main() -> None:
    task = json.loads(sys.argv[1])
    async with Client(StdioServerParameters(**task["server"])) as client:
        listed = await client.list_tools()
        found = await client.call_tool(task["tool"], task["arguments"])
        failed = await client.call_tool(task["tool"], task["mistake"])
        answer = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in listed.tools],
            "found": found.structured_content,
            "failed": failed.is_error,
            "failure": failed.content[0].text,
        }
    json.dump(answer, sys.stdout)


asyncio.run(main())
