"""A model behind a real socket that answers as it is told, well or badly."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from msgspec import Struct


class Reply(Struct, frozen=True):
    """One answer on the wire.

    Attributes:
        body: what is sent of it.
        promised: its Content-Length; None: that of the body.
        slowly: it comes a byte a while, without end.
    """

    status: int = 200
    body: bytes = b""
    headers: str = ""
    promised: int | None = None
    slowly: bool = False


class ModelServer:
    """Gives its replies one after another, the last one for ever; keeps the requests' bodies."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, object]] = []
        self.address = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            self.requests.append(json.loads(await reader.readexactly(length)))
            await self._reply(self.replies.pop(0) if len(self.replies) > 1 else self.replies[0], writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _reply(self, reply: Reply, writer: asyncio.StreamWriter) -> None:
        promised = len(reply.body) if reply.promised is None else reply.promised
        head = f"HTTP/1.1 {reply.status} X\r\ncontent-length: {promised}\r\nconnection: close\r\n"
        writer.write(f"{head}{reply.headers}\r\n".encode() + reply.body)
        await writer.drain()
        while reply.slowly:
            await asyncio.sleep(0.02)
            writer.write(b" ")
            await writer.drain()


@asynccontextmanager
async def model_server(replies: Sequence[Reply]) -> AsyncIterator[ModelServer]:
    """Listen on a free port of the loopback."""
    served = ModelServer(replies)
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    served.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield served


Shape = Callable[[str], bytes]
"""Puts a model's text into the JSON of its protocol."""


def anthropic_body(text: str) -> bytes:
    """Shape `text` as Anthropic's Messages API does."""
    return json.dumps({"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}).encode()


def openai_body(text: str) -> bytes:
    """Shape `text` as `/v1/chat/completions` does."""
    return json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).encode()
