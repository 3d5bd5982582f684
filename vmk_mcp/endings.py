"""How a message ends at any door: the answer to its work, and what the observers are told of it."""

from time import perf_counter
from typing import Final

from msgspec import Struct

from vmk_mcp.observe import CallFinished, Crashed, Initialized, Observer, Stages
from vmk_mcp.protocol.server import Protocol
from vmk_mcp.protocol.work import ACCEPTED, Answer, Work
from vmk_mcp.running import Unfinished

NO_STAGES: Final = Stages()
"""Of a message that needed no work."""


class Ending(Struct, frozen=True, gc=False):
    """What an answer does not say of itself.

    Attributes:
        token: name of the caller's token.
        elapsed_s: from the message's arrival to its encoded answer.
        work: what was awaited for it, if anything was.
    """

    request_id: str
    token: str
    elapsed_s: float
    stages: Stages = NO_STAGES
    work: Work | None = None
    traceparent: str = ""


def write_answer(protocol: Protocol, work: Work, outcome: object, request_id: str, stages: Stages) -> Answer:
    """Write the answer to `work`, and note in `stages` how long that took."""
    started_s = perf_counter()
    answer = protocol.write(work, outcome, request_id)
    stages.add("encode", perf_counter() - started_s)
    return answer


def answer_cancelled(work: Work) -> Answer:
    """Give the answer without a body that cancelled work has: MCP 2025-06-18, cancellation, sends none."""
    return Answer(ACCEPTED, b"", work.method, work.tool_name, Unfinished.CANCELLED.value)


def tell(observer: Observer, answer: Answer, ending: Ending) -> None:
    """Tell of an answered or cancelled message; of one that opened or crashed, that as well."""
    if answer.crash is not None:
        observer.observe(Crashed(ending.request_id, answer.crash))
    if answer.outcome:
        observer.observe(Initialized(answer.outcome))
    work = ending.work
    observer.observe(
        CallFinished(
            request_id=ending.request_id,
            token=ending.token,
            method=answer.method,
            tool=answer.tool if work is None else work.tool_name,
            code=answer.code,
            status=answer.status,
            elapsed_s=ending.elapsed_s,
            stages=ending.stages.seconds,
            rows=ending.stages.rows,
            query="" if work is None else work.words,
            dropped=answer.dropped,
            traceparent=ending.traceparent,
        )
    )
