"""The stdio door: one JSON-RPC message a line on stdin, answers on stdout, for one client (beside web)."""

import asyncio
import secrets
import sys
import threading
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import BinaryIO, Final

from vmk_mcp.endings import NO_STAGES, Ending, answer_cancelled, tell, write_answer
from vmk_mcp.notices import LogNotices, WriteLine
from vmk_mcp.observe import Observer, Stages, current_stages
from vmk_mcp.protocol.server import Protocol
from vmk_mcp.protocol.work import Answer, Cancel, Work
from vmk_mcp.running import Call, Running, Unfinished
from vmk_mcp.tool import Caller, Progress, ignore_progress

NextLine = Callable[[], Awaitable[bytes | None]]
"""Gives the next line, or None after the last."""

_LINES_AHEAD: Final = 16


class StdioDoor:
    """Answers one client; its calls run side by side and can be cancelled by `notifications/cancelled`."""

    def __init__(
        self,
        protocol: Protocol,
        caller: Caller,
        observer: Observer,
        *,
        max_running: int,
        notices: LogNotices,
    ) -> None:
        """Answer with `protocol`, and tell the client of what `notices` hears of."""
        self._protocol = protocol
        self._caller = caller
        self._observer = observer
        self._notices = notices
        # There is one client, the process owner: its calls wait, and none is turned away.
        self._running = Running(max_running, sys.maxsize)

    async def serve(self, next_line: NextLine, write_line: WriteLine) -> None:
        """Answer until the last line is read and answered, or nobody reads the answers any more."""
        try:
            async with asyncio.TaskGroup() as calls:
                telling = calls.create_task(self._notices.send(write_line))
                while (line := await next_line()) is not None:
                    if line.strip():
                        await self._take(line, calls, write_line)
                telling.cancel()
        except* ConnectionError:
            pass  # the client is gone, and with it whoever wanted the answers

    async def _take(self, line: bytes, calls: asyncio.TaskGroup, write_line: WriteLine) -> None:
        started_s = perf_counter()
        request_id = secrets.token_hex(8)
        step = self._protocol.read(line, self._caller, None, request_id)
        if isinstance(step, Cancel):
            self._running.cancel(self._caller.name, step.request_id)
            step = step.answer
        if isinstance(step, Answer):
            if step.log_level is not None:
                self._notices.set_level(step.log_level)
            self._tell(step, request_id, started_s)
            await _send(step, write_line)
            return
        calls.create_task(self._run(step, write_line, request_id, started_s))
        # The call gets going before the next line is read, which may already cancel it.
        await asyncio.sleep(0)

    async def _run(self, work: Work, write_line: WriteLine, request_id: str, started_s: float) -> None:
        stages = Stages()
        current_stages.set(stages)
        answer = answer_cancelled(work)
        try:
            outcome = await self._running.run(work, Call(), self._progress(work, write_line))
            if outcome is not Unfinished.CANCELLED:
                answer = write_answer(self._protocol, work, outcome, request_id, stages)
        finally:
            # Told before it is sent, and even if the client is gone: then the call was cancelled with it.
            self._tell(answer, request_id, started_s, work=work, stages=stages)
        await _send(answer, write_line)

    def _progress(self, work: Work, write_line: WriteLine) -> Progress:
        token = work.progress_token
        if token is None:
            return ignore_progress

        async def send_progress(done: float, total: float | None, message: str) -> None:
            await write_line(self._protocol.write_progress(token, done, total, message))

        return send_progress

    def _tell(
        self,
        answer: Answer,
        request_id: str,
        started_s: float,
        *,
        work: Work | None = None,
        stages: Stages = NO_STAGES,
    ) -> None:
        elapsed_s = perf_counter() - started_s
        tell(self._observer, answer, Ending(request_id, self._caller.name, elapsed_s, stages, work))


async def _send(answer: Answer, write_line: WriteLine) -> None:
    if answer.body:
        await write_line(answer.body)


class LineReader:
    """Lines of a blocking stream, read in a thread of its own, be it a pipe, a terminal or a file."""

    def __init__(self, stream: BinaryIO, max_bytes: int) -> None:
        """Read `stream`; a line above `max_bytes` comes cut, which the protocol answers as a parse error."""
        self._stream = stream
        self._max_bytes = max_bytes
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(_LINES_AHEAD)
        # A daemon: nothing can wake a thread out of a blocking read when the process wants to end.
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def next_line(self) -> bytes | None:
        """See `NextLine`."""
        return await self._lines.get()

    def _read(self) -> None:
        try:
            while line := self._stream.readline(self._max_bytes):
                self._hand_over(line)
                self._skip_rest(line)
            self._hand_over(None)
        except (OSError, ValueError, RuntimeError):
            return  # the stream or the loop was closed under us: nobody waits for lines any more

    def _skip_rest(self, part: bytes) -> None:
        while part and not part.endswith(b"\n"):
            part = self._stream.readline(self._max_bytes)

    def _hand_over(self, line: bytes | None) -> None:
        asyncio.run_coroutine_threadsafe(self._lines.put(line), self._loop).result()


class LineWriter:
    """Writes whole lines to a blocking stream, one after another, without holding up the loop."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._turn = asyncio.Lock()

    async def write_line(self, message: bytes) -> None:
        """See `WriteLine`."""
        async with self._turn:
            await asyncio.to_thread(self._write, message + b"\n")

    def _write(self, line: bytes) -> None:
        self._stream.write(line)
        self._stream.flush()
