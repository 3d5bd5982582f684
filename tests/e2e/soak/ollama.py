"""A made-up Ollama on loopback that can be switched: well, slow, hanging, away, or answering garbage."""

import asyncio
import hashlib
import json
import re
from enum import Enum
from itertools import cycle, islice
from typing import Final

from vmk_mcp.sample.vectors import DIMENSIONS, draw_vectors

MODEL: Final = "multilingual-e5-small"
"""The name on record beside the stored vectors; a service with another one would not start."""

_STRAY: Final = re.compile(r"\bzq[a-j]+\b")
_TOPIC: Final = re.compile(r"\btopic-[a-z]+\b")
_PREFIX: Final = re.compile(r"^(?:query|passage): ")
_SLOW_S: Final = 1.0
_MEANINGS: Final = 512


class Mood(Enum):
    """How it answers."""

    WELL = "well"
    SLOW = "slow"
    HANGS = "hangs"
    AWAY = "away"
    GARBAGE = "garbage"


def make_stray(text: str, number: int) -> str:
    """Give `text` with a word that means nothing and that no cache has seen, at its end."""
    return f"{text} zq{''.join('abcdefghij'[int(digit)] for digit in str(number))}"


def drop_strays(text: str) -> str:
    """Give a text without such words, so that answers to it are the same whatever the word was."""
    return " ".join(_STRAY.sub("", text).split())


class SwitchedOllama:
    """Gives each text the vector of some sample listing: that of its topic, where it names one.

    Attributes:
        asked: requests that reached it.
    """

    def __init__(self) -> None:
        self.asked = 0
        self._vectors: list[list[float]] = [row.tolist() for row in islice(draw_vectors(), _MEANINGS)]
        self._mood = Mood.WELL
        self._changed = asyncio.Event()
        self._port = 0
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.StreamWriter] = set()
        self._garbage = cycle(
            (
                (200, b'{"embeddings": [[1, 2'),
                (200, json.dumps({"embeddings": [[0.5] * 7]}).encode()),
                (200, b'{"embeddings": []}'),
                (500, b'{"error": "llama runner process has terminated"}'),
                (200, b"<html>a proxy's own page</html>"),
            )
        )

    def settings(self) -> dict[str, str]:
        """Give the settings by which listings and documents are embedded here."""
        return {
            "EMBEDDER": "ollama",
            "OLLAMA_BASE_URL": f"http://127.0.0.1:{self._port}",
            "OLLAMA_EMBED_MODEL": MODEL,
            "OLLAMA_EMBED_DIMENSIONS": str(DIMENSIONS),
            "OLLAMA_REQUEST_TIMEOUT": "2",
            "VECTOR_EMBEDDING_PROVIDER": "ollama",
        }

    async def open(self) -> None:
        """Listen, where it listened before."""
        if self._server is None:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
            self._port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Listen no more, and break off what is under way."""
        self._changed.set()
        if self._server is not None:
            self._server.close()
            self._server = None
        for client in list(self._clients):
            client.transport.abort()
        while self._clients:  # noqa: ASYNC110  (each leaves at its next turn)
            await asyncio.sleep(0.01)

    async def turn(self, mood: Mood) -> None:
        """Answer so from now on; whoever hangs is let go of."""
        self._mood = mood
        self._changed.set()
        self._changed = asyncio.Event()
        if mood is Mood.AWAY:
            await self.close()
        else:
            await self.open()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                found = re.search(rb"content-length: (\d+)", head)
                body = await reader.readexactly(int(found[1]) if found else 0)
                self.asked += 1
                status, content = await self._answer(json.loads(body)["input"])
                writer.write(b"HTTP/1.1 %d Made-up\r\nContent-Length: %d\r\n\r\n" % (status, len(content)))
                writer.write(content)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # whoever asked has left
        finally:
            self._clients.discard(writer)
            writer.transport.abort()

    async def _answer(self, texts: list[str]) -> tuple[int, bytes]:
        mood = self._mood
        if mood is Mood.GARBAGE:
            return next(self._garbage)
        if mood is Mood.HANGS:
            await self._changed.wait()
        elif mood is Mood.SLOW:
            await asyncio.sleep(_SLOW_S)
        return 200, json.dumps({"embeddings": [self._vector_of(text) for text in texts]}).encode()

    def _vector_of(self, text: str) -> list[float]:
        topic = _TOPIC.search(text)
        meaning = topic[0] if topic else drop_strays(_PREFIX.sub("", text)).casefold()
        digest = hashlib.blake2b(meaning.encode(), digest_size=8).digest()
        return self._vectors[int.from_bytes(digest) % len(self._vectors)]
