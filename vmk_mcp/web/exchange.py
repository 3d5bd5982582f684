"""One JSON-RPC message and its answer: read, run, write, send, and tell the observers."""

from time import perf_counter

from msgspec import Struct
from starlette.types import Receive, Send

from vmk_mcp.endings import NO_STAGES, Ending, answer_cancelled, tell, write_answer
from vmk_mcp.observe import Observer, Stages, current_stages
from vmk_mcp.protocol.server import Protocol
from vmk_mcp.protocol.work import Answer, Cancel, Work
from vmk_mcp.running import Call, Running, Unfinished
from vmk_mcp.tool import Caller, Progress, ignore_progress
from vmk_mcp.web.departure import DepartureWatch
from vmk_mcp.web.head import Head
from vmk_mcp.web.refusals import OVERLOADED, Refusal
from vmk_mcp.web.replies import JSON_TYPE, NO_HEADERS, EventStream, send_body


class Exchange(Struct, frozen=True, gc=False):
    """A POST that was let in: its head, who sent it, when its body was whole (s), and the ways back."""

    head: Head
    caller: Caller
    started_s: float
    receive: Receive
    send: Send


class Answering:
    """Answers messages by the protocol, and has their work run."""

    def __init__(self, protocol: Protocol, running: Running, observer: Observer) -> None:
        self._protocol = protocol
        self._running = running
        self._observer = observer

    async def answer(self, exchange: Exchange, body: bytes) -> Refusal | None:
        """Answer the message in `body`; what is refused for load is given back unsent."""
        head = exchange.head
        version = head.headers.get(b"mcp-protocol-version")
        version_header = None if version is None else version.decode("latin-1")
        step = self._protocol.read(body, exchange.caller, version_header, head.request_id)
        if isinstance(step, Answer):
            await self._finish(exchange, step)
        elif isinstance(step, Cancel):
            self._running.cancel(exchange.caller.name, step.request_id)
            await self._finish(exchange, step.answer)
        else:
            return await self._run(exchange, step)
        return None

    async def _run(self, exchange: Exchange, work: Work) -> Refusal | None:
        stages = Stages()
        current_stages.set(stages)
        stream = EventStream(exchange.send, exchange.head)
        call = Call()
        with DepartureWatch(exchange.receive, call):
            outcome = await self._running.run(work, call, self._progress(exchange.head, work, stream))
        if outcome is Unfinished.OVERLOADED:
            return OVERLOADED
        if outcome is Unfinished.CANCELLED:
            answer = answer_cancelled(work)  # no JSON-RPC response, but HTTP wants each request to end
        else:
            answer = write_answer(self._protocol, work, outcome, exchange.head.request_id, stages)
        await self._finish(exchange, answer, work=work, stages=stages, stream=stream)
        return None

    def _progress(self, head: Head, work: Work, stream: EventStream) -> Progress:
        token = work.progress_token
        if token is None or not head.accepts_stream:
            return ignore_progress

        async def send_progress(done: float, total: float | None, message: str) -> None:
            await stream.send_message(self._protocol.write_progress(token, done, total, message))

        return send_progress

    async def _finish(
        self,
        exchange: Exchange,
        answer: Answer,
        *,
        work: Work | None = None,
        stages: Stages = NO_STAGES,
        stream: EventStream | None = None,
    ) -> None:
        elapsed_s = perf_counter() - exchange.started_s
        if stream is not None and stream.is_open:
            await stream.end_with(answer.body)
        else:
            headers = JSON_TYPE if answer.body else NO_HEADERS
            if stages.seconds:
                headers = (*headers, _server_timing(stages))
            await send_body(exchange.send, exchange.head, answer.status, answer.body, headers)
        head = exchange.head
        ending = Ending(head.request_id, exchange.caller.name, elapsed_s, stages, work, head.traceparent)
        tell(self._observer, answer, ending)


def _server_timing(stages: Stages) -> tuple[bytes, bytes]:
    # W3C Server Timing; durations are in milliseconds.
    entries = (f"{stage};dur={seconds * 1000:.3f}" for stage, seconds in stages.seconds.items())
    return b"server-timing", ", ".join(entries).encode()
