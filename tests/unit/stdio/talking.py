"""A client of the stdio door that says when what happens."""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from tests.fakes import RecordingObserver
from vmk_mcp.errors import NotFound
from vmk_mcp.notices import LogNotices
from vmk_mcp.observe import Observers
from vmk_mcp.protocol import Protocol, load_profiles
from vmk_mcp.stdio import StdioDoor
from vmk_mcp.tool import CallContext, Caller, Offer, Tool

OWNER: Final = Caller(name="owner", rights=frozenset({"made_up"}))
PROFILES: Final = load_profiles(Path(__file__).parents[3] / "contracts" / "profiles")


class Wish(Struct, frozen=True, forbid_unknown_fields=True):
    """What the made-up tools take."""

    word: str = ""


class Granted(Struct, frozen=True):
    """What the made-up tools give."""

    word: str


class Client:
    """A client that sends lines when told, and keeps what it is sent."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.began = asyncio.Event()
        self.heard = asyncio.Event()
        self.cancelled: list[str] = []
        self.observer = RecordingObserver()
        self.notices = LogNotices()
        self.received: list[dict[str, Any]] = []
        self.is_gone = False
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        tools = [self._tool("say", self._say), self._tool("hold", self._hold), self._tool("fail", self._fail)]
        protocol = Protocol(
            server_name="vmk-mcp",
            server_version="1",
            instructions="",
            offers=[Offer(family="made_up", tools=tools)],
            profiles=PROFILES,
            max_response_bytes=1_000_000,
            sends_logs=True,
        )
        observers = Observers(self.observer, self.notices)
        self._door = StdioDoor(protocol, OWNER, observers, max_running=4, notices=self.notices)

    def send(self, *messages: object) -> None:
        """Send messages; None ends the input, bytes go as they are."""
        for message in messages:
            is_raw = message is None or isinstance(message, bytes)
            self._lines.put_nowait(message if is_raw else json.dumps(message).encode())  # type: ignore[arg-type]  # raw ones are

    def call(self, id_: int, tool: str, **more: Any) -> None:
        """Send one call of a tool."""
        parameters = {"name": tool, "arguments": {"word": f"w{id_}"}, **more}
        self.send({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": parameters})

    async def run(self) -> list[dict[str, Any]]:
        """Serve to the end of the input; gives what was received."""
        await self._door.serve(self._lines.get, self._receive)
        return self.received

    @property
    def answered(self) -> list[object]:
        """Ids of the answers, as they came."""
        return [message["id"] for message in self.received if "id" in message]

    async def _receive(self, line: bytes) -> None:
        if self.is_gone:
            raise BrokenPipeError
        assert b"\n" not in line
        self.received.append(json.loads(line))
        self.heard.set()

    async def _say(self, wish: Wish, context: CallContext) -> Granted:
        await context.progress(1, 2, "half")
        return Granted(wish.word)

    async def _hold(self, wish: Wish, context: CallContext) -> Granted:
        self.began.set()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append(wish.word)
            raise
        return Granted(wish.word)

    async def _fail(self, wish: Wish, context: CallContext) -> Granted:
        raise NotFound("nothing here")

    @staticmethod
    def _tool(name: str, call: Any) -> Tool[Wish, Granted]:
        return Tool(
            family="made_up",
            name=name,
            title=name,
            description=name,
            arguments=Wish,
            result=Granted,
            call=call,
            query_field="word",
        )
