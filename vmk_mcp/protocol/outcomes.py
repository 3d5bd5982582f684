"""The answer to what awaiting gave or raised: a result, a tool error or a JSON-RPC error."""

import msgspec
from msgspec import Struct

from vmk_mcp.errors import InvalidArguments, NotFound, VmkError
from vmk_mcp.protocol import results
from vmk_mcp.protocol.envelope import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    RESOURCE_NOT_FOUND,
    Rejected,
    write_error,
    write_result,
)
from vmk_mcp.protocol.work import OK, Answer, Completion, RequestId, ResourceRead, ToolCall, Work


def write_outcome(work: Work, outcome: object, request_id: str, limit: int) -> Answer:
    """Write the answer to `work`; above `limit` bytes it becomes the error `response_too_large`."""
    try:
        if isinstance(work, ToolCall):
            return _write_call(work, outcome, limit)
        return _write_other(work, outcome, limit)
    except Exception as bug:  # noqa: BLE001  (whatever it is, the caller gets an answer and the log the bug)
        return crashed(work.id, work.method, bug, request_id)


def reject(rejected: Rejected, id_: RequestId | None, method: str, code: str = "") -> Answer:
    """Answer with a JSON-RPC error; `code` is for the log, where it is more than the error's number."""
    rejected.id = id_
    return Answer(rejected.status, write_error(rejected), method, code=code or str(rejected.code))


def crashed(id_: RequestId, method: str, bug: Exception, request_id: str) -> Answer:
    """Answer for a bug of ours: not a word of it goes out, only the id that the log has it under."""
    data = {"request_id": request_id} if request_id else None
    answer = reject(Rejected(INTERNAL_ERROR, "internal error", data=data), id_, method)
    return msgspec.structs.replace(answer, crash=bug)


def as_rejected(error: VmkError) -> Rejected:
    """Say a named failure in a JSON-RPC error, for methods whose results cannot hold one."""
    code = INVALID_PARAMS if isinstance(error, InvalidArguments | NotFound) else INTERNAL_ERROR
    return Rejected(code, error.message, data=results.error_text(error))


def no_resource(uri: str) -> Rejected:
    """Say that nothing has this URI (MCP 2025-06-18, resources, "Error Handling")."""
    return Rejected(RESOURCE_NOT_FOUND, "Resource not found", data={"uri": uri})


def _write_call(work: ToolCall, outcome: object, limit: int) -> Answer:
    if isinstance(outcome, Struct):
        result = results.tool_result(outcome, dropped=work.dropped, summarize=work.summarize)
        body = write_result(work.id, result)
        if len(body) <= limit:
            return Answer(OK, body, work.method, work.tool_name, dropped=work.dropped)
        outcome = results.too_large(len(body), limit)
    if isinstance(outcome, VmkError):
        body = write_result(work.id, results.tool_error(outcome))
        return Answer(OK, body, work.method, work.tool_name, outcome.code, dropped=work.dropped)
    raise _bug_of(outcome)


def _write_other(work: ResourceRead | Completion, outcome: object, limit: int) -> Answer:
    method = work.method
    if isinstance(outcome, VmkError):
        if isinstance(outcome, NotFound) and isinstance(work, ResourceRead):
            return reject(no_resource(work.uri), work.id, method, outcome.code)
        return reject(as_rejected(outcome), work.id, method, outcome.code)
    if isinstance(work, ResourceRead) and isinstance(outcome, str | bytes):
        result = results.resource_result(work.uri, work.resource.mime_type, outcome)
    elif isinstance(work, Completion) and isinstance(outcome, list | tuple):
        result = results.completion_result(outcome)
    else:
        raise _bug_of(outcome)
    body = write_result(work.id, result)
    if len(body) <= limit:
        return Answer(OK, body, method)
    large = results.too_large(len(body), limit)
    return reject(as_rejected(large), work.id, method, large.code)


def _bug_of(outcome: object) -> Exception:
    """Give the exception that an outcome of no known shape stands for."""
    if isinstance(outcome, Exception):
        return outcome
    return TypeError(f"a call gave {type(outcome).__name__}")
