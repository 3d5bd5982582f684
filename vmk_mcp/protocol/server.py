"""The protocol as one object: bytes and a caller in, an answer or work to be awaited out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import UNSET

from vmk_mcp.errors import VmkError
from vmk_mcp.protocol import params as read
from vmk_mcp.protocol import results
from vmk_mcp.protocol.catalogue import LISTS, Shelf
from vmk_mcp.protocol.envelope import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Envelope,
    Rejected,
    read_envelope,
    read_params,
    write_result,
)
from vmk_mcp.protocol.faults import cut, nearest
from vmk_mcp.protocol.outcomes import as_rejected, crashed, no_resource, reject, write_outcome
from vmk_mcp.protocol.profiles import Profile
from vmk_mcp.protocol.work import (
    ACCEPTED,
    BAD_REQUEST,
    OK,
    Answer,
    Cancel,
    Completion,
    RequestId,
    ResourceRead,
    ToolCall,
    Work,
)
from vmk_mcp.tool import Caller, Offer

_DISCOVER: Final = "server/discover"
_VERSIONLESS: Final = frozenset({"initialize", _DISCOVER})
"""Methods that open a conversation: the header's version is not agreed on yet."""

_METHODS_OF: Final = {
    "resources": "resources/read",
    "prompts": "prompts/get",
    "completions": "completion/complete",
}
"""Capability -> the method that exists only with it; the list methods always answer."""

_Handler = Callable[[Envelope, RequestId, Caller], Answer | Work]


class Protocol:
    """JSON-RPC 2.0 and MCP 2025-06-18 over the families' offers.

    Args:
        server_name: `serverInfo.name`.
        server_version: `serverInfo.version`.
        instructions: opens `instructions`; those of the families that the caller may use follow.
        offers: what the families show, in the order of `tools/list`.
        profiles: by name; a caller's profile must be one of them.
        max_response_bytes: a longer tool result becomes the tool error `response_too_large`.
        sends_logs: the door sends `notifications/message`, so that `logging` is declared.
    """

    def __init__(  # noqa: PLR0913  (the composition root names each)
        self,
        *,
        server_name: str,
        server_version: str,
        instructions: str,
        offers: Sequence[Offer],
        profiles: Mapping[str, Profile],
        max_response_bytes: int,
        sends_logs: bool = False,
    ) -> None:
        self._server = results.Implementation(server_name, server_version)
        self._instructions = instructions
        self._shelf = Shelf(offers)
        self._families = [offer.family for offer in offers]
        self._profiles = profiles
        self._max_response_bytes = max_response_bytes
        self._capabilities = _capabilities(offers, sends_logs=sends_logs)
        self._methods = self._table()

    def read(
        self, body: bytes, caller: Caller, version_header: str | None = None, request_id: str = ""
    ) -> Answer | Work | Cancel:
        """Read one message.

        Args:
            body: the message; any bytes get a well-formed answer.
            caller: who sent it.
            version_header: the `MCP-Protocol-Version` header, None where there is none.
            request_id: stands in the error when a bug of ours shows.

        Raises:
            KeyError: the caller's profile is unknown here.
        """
        profile = self._profiles[caller.profile]
        try:
            message = read_envelope(body)
        except Rejected as rejected:
            return reject(rejected, rejected.id, "")
        if message is None or message.method is UNSET:
            return Answer(ACCEPTED)
        if version_header is not None and profile.version_header == "checked":
            refusal = _check_version(message, version_header, profile)
            if refusal is not None:
                return refusal
        if message.id is UNSET:
            return _take_notification(message)
        return self._dispatch(message, message.id, caller, request_id)

    def write(self, work: Work, outcome: object, request_id: str = "") -> Answer:
        """Write the answer to `work`.

        Args:
            work: what `read` gave.
            outcome: what awaiting it gave (a struct, text, bytes, values), or the exception that it raised.
            request_id: stands in the error when a bug of ours shows.
        """
        return write_outcome(work, outcome, request_id, self._max_response_bytes)

    def write_progress(self, token: RequestId, done: float, total: float | None, message: str) -> bytes:
        """Write a `notifications/progress` message."""
        return results.progress_notification(token, done, total, message)

    def tool_names(self, caller: Caller) -> list[str]:
        """Give the tools that `caller` may call, as listed."""
        return list(self._shelf.open_to(caller).tool_names)

    def tools_by_family(self, caller: Caller | None) -> dict[str, list[str]]:
        """Give each family with the tools that `caller` may call; without one, the families alone."""
        named: dict[str, list[str]] = {family: [] for family in self._families}
        for tool in self._shelf.open_to(caller).tools.values() if caller is not None else ():
            if tool.tool.name not in named[tool.tool.family]:
                named[tool.tool.family].append(tool.tool.name)
        return named

    def _table(self) -> Mapping[str, _Handler]:
        offered: dict[str, _Handler] = {
            "resources/read": self._read_resource,
            "prompts/get": self._get_prompt,
            "completion/complete": self._complete,
        }
        closed = {
            method for capability, method in _METHODS_OF.items() if capability not in self._capabilities
        }
        return {
            "initialize": self._initialize,
            "ping": self._ping,
            "tools/call": self._call_tool,
            "logging/setLevel": self._set_level,
            _DISCOVER: self._discover,
            **dict.fromkeys(LISTS, self._list),
            **{method: handler for method, handler in offered.items() if method not in closed},
        }

    def _dispatch(self, message: Envelope, id_: RequestId, caller: Caller, request_id: str) -> Answer | Work:
        name = str(message.method)
        handler = self._methods.get(name)
        if handler is None:
            return reject(Rejected(METHOD_NOT_FOUND, f"Method not found: {cut(name)}"), id_, "")
        try:
            return handler(message, id_, caller)
        except Rejected as rejected:
            return reject(rejected, id_, name)
        except RecursionError:
            deep = Rejected(PARSE_ERROR, "Parse error: the params are nested too deeply", status=BAD_REQUEST)
            return reject(deep, id_, name)
        except Exception as bug:  # noqa: BLE001  (whatever it is, the caller gets an answer and the log the bug)
            return crashed(id_, name, bug, request_id)

    def _ping(self, message: Envelope, id_: RequestId, caller: Caller) -> Answer:
        if message.params is not UNSET:
            read_params(message.params, read.NO_PARAMS)
        return Answer(OK, write_result(id_, b"{}"), "ping")

    def _initialize(self, message: Envelope, id_: RequestId, caller: Caller) -> Answer:
        version = self._profiles[caller.profile].protocol_version
        parts = [self._instructions, *self._shelf.open_to(caller).instructions]
        instructions = "\n\n".join(part for part in parts if part)
        result = results.initialize_result(version, self._capabilities, self._server, instructions)
        direct = read.wished_version(message.params) == version
        outcome = "direct_success" if direct else "compatibility_success"
        return Answer(OK, write_result(id_, result), "initialize", outcome=outcome)

    def _discover(self, message: Envelope, id_: RequestId, caller: Caller) -> Answer:
        # Clients of later versions ask this first, and fall back to initialize on this very answer.
        raise Rejected(METHOD_NOT_FOUND, f"Method not found: {_DISCOVER}", status=BAD_REQUEST)

    def _list(self, message: Envelope, id_: RequestId, caller: Caller) -> Answer:
        method = str(message.method)
        if read_params(message.params, read.LIST_PARAMS).cursor is not None:
            raise Rejected(
                INVALID_PARAMS, "Invalid cursor: every list comes whole, so none was ever given out"
            )
        return Answer(OK, write_result(id_, self._shelf.open_to(caller).lists[method]), method)

    def _call_tool(self, message: Envelope, id_: RequestId, caller: Caller) -> Answer | ToolCall:
        params = read_params(message.params, read.CALL_PARAMS)
        tools = self._shelf.open_to(caller).tools
        offered = tools.get(params.name)
        if offered is None:
            meant = nearest(params.name, tools)
            hint = f"; did you mean {meant}?" if meant else ""
            raise Rejected(INVALID_PARAMS, f"Unknown tool: {cut(params.name)}{hint}")
        profile = self._profiles[caller.profile]
        try:
            arguments, dropped = offered.reader.read(
                params.arguments, drop_unknown=profile.unknown_arguments == "dropped"
            )
        except VmkError as error:
            body = write_result(id_, results.tool_error(error))
            return Answer(OK, body, "tools/call", offered.tool.name, error.code)
        token = read.progress_token(params.meta)
        summarize = profile.text_content == "summary"
        return ToolCall(id_, offered.tool, arguments, caller, token, dropped, summarize)

    def _read_resource(self, message: Envelope, id_: RequestId, caller: Caller) -> ResourceRead:
        params = read_params(message.params, read.READ_PARAMS)
        found = self._shelf.open_to(caller).resources.find(params.uri)
        if found is None:
            raise no_resource(params.uri)
        resource, variables = found
        return ResourceRead(id_, params.uri, resource, variables, caller, read.progress_token(params.meta))

    def _get_prompt(self, message: Envelope, id_: RequestId, caller: Caller) -> Answer:
        params = read_params(message.params, read.PROMPT_PARAMS)
        given = read.prompt_arguments(params.arguments)
        prompt = self._shelf.open_to(caller).prompts.get(params.name)
        if prompt is None:
            raise Rejected(INVALID_PARAMS, f"Unknown prompt: {cut(params.name)}")
        missing = [one.name for one in prompt.arguments if one.required and one.name not in given]
        if missing:
            raise Rejected(INVALID_PARAMS, f"Missing prompt arguments: {', '.join(missing)}")
        known = {one.name: given[one.name] for one in prompt.arguments if one.name in given}
        try:
            rendered = prompt.render(known)
        except VmkError as error:
            raise as_rejected(error) from None
        return Answer(
            OK, write_result(id_, results.prompt_result(prompt.description, rendered)), "prompts/get"
        )

    def _complete(self, message: Envelope, id_: RequestId, caller: Caller) -> Answer | Completion:
        params = read_params(message.params, read.COMPLETION_PARAMS)
        catalogue = self._shelf.open_to(caller)
        by_name = isinstance(params.ref, read.PromptReference)
        reference = params.ref.name if isinstance(params.ref, read.PromptReference) else params.ref.uri
        completer = catalogue.completers.get((reference, params.argument.name))
        if completer is not None and len(params.argument.value) <= read.LONGEST_COMPLETED:
            return Completion(id_, completer, params.argument.value, caller)
        if completer is None and reference not in (catalogue.prompts if by_name else catalogue.templates):
            raise Rejected(INVALID_PARAMS, f"Unknown reference: {cut(reference)}")
        return Answer(OK, write_result(id_, results.completion_result(())), "completion/complete")

    def _set_level(self, message: Envelope, id_: RequestId, caller: Caller) -> Answer:
        level = read_params(message.params, read.LEVEL_PARAMS).level
        return Answer(OK, write_result(id_, b"{}"), "logging/setLevel", log_level=level)


def _capabilities(offers: Sequence[Offer], *, sends_logs: bool) -> Mapping[str, Mapping[str, bool]]:
    """Declare what the offers hold; no list ever changes while the process runs, so no sub-capability."""
    declared = {
        "logging": sends_logs,
        "tools": any(offer.tools for offer in offers),
        "resources": any(offer.resources for offer in offers),
        "prompts": any(offer.prompts for offer in offers),
        "completions": any(offer.completers for offer in offers),
    }
    return {name: {} for name, there in declared.items() if there}


def _check_version(message: Envelope, version_header: str, profile: Profile) -> Answer | None:
    """MCP 2025-06-18, transports: an unsupported `MCP-Protocol-Version` MUST be answered with 400."""
    if version_header == profile.protocol_version or message.method in _VERSIONLESS:
        return None
    unsupported = Rejected(
        INVALID_REQUEST,
        f"Unsupported MCP-Protocol-Version header; supported: {profile.protocol_version}",
        status=BAD_REQUEST,
    )
    return reject(unsupported, None if message.id is UNSET else message.id, "")


def _take_notification(message: Envelope) -> Answer | Cancel:
    """Accept any notification: JSON-RPC answers none, known or not."""
    if message.method != "notifications/cancelled":
        return Answer(ACCEPTED)
    accepted = Answer(ACCEPTED, method="notifications/cancelled")
    try:
        return Cancel(read_params(message.params, read.CANCELLED_PARAMS).request_id, accepted)
    except (Rejected, RecursionError):
        return accepted
