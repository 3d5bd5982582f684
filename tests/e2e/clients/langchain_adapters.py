"""langchain-mcp-adapters: one JSON task as the argument, one JSON line as the answer."""

import asyncio
import json
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient


async def main() -> None:
    task = json.loads(sys.argv[1])
    server = {
        "transport": "streamable_http",
        "url": task["url"],
        "headers": {"Authorization": f"Bearer {task['token']}"},
    }
    tools = await MultiServerMCPClient({"vmk": server}).get_tools()
    search = next(tool for tool in tools if tool.name == task["tool"])
    call = {"type": "tool_call", "id": "1", "name": task["tool"]}
    found = await search.ainvoke({**call, "args": task["arguments"]})
    failed = await search.ainvoke({**call, "args": task["mistake"]})
    answer = {
        "tools": [tool.name for tool in tools],
        "found": found.artifact["structured_content"],
        "failed": failed.status == "error",
        "failure": failed.content[0]["text"],
    }
    json.dump(answer, sys.stdout)


asyncio.run(main())
