"""The FastMCP client: one JSON task as the argument, one JSON line as the answer."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.exceptions import ToolError


async def main() -> None:
    task = json.loads(sys.argv[1])
    headers = {"Authorization": f"Bearer {task['token']}"}
    async with Client(StreamableHttpTransport(task["url"], headers=headers)) as client:
        pinged = await client.ping()
        listed = await client.list_tools()
        found = await client.call_tool(task["tool"], task["arguments"])
        failure = None
        try:
            await client.call_tool(task["tool"], task["mistake"])
        except ToolError as error:
            failure = str(error)
        answer = {
            "version": client.initialize_result.protocol_version,
            "pinged": pinged,
            "tools": [tool.name for tool in listed],
            "found": found.structured_content,
            "failed": failure is not None,
            "failure": failure,
        }
    json.dump(answer, sys.stdout)


asyncio.run(main())
