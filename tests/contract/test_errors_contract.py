"""`contracts/errors.json` and the code name the same failures, word for word."""

import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from typing import Any, Final

import pytest

import vmk_mcp
from tests.contract.exchange_files import every_exchange
from tests.contract.stage import CONTRACTS
from vmk_mcp import errors
from vmk_mcp.errors import VmkError
from vmk_mcp.protocol import envelope
from vmk_mcp.web import refusals
from vmk_mcp.web.refusals import Refusal

CONTRACT: Final[dict[str, list[dict[str, Any]]]] = json.loads(
    (CONTRACTS / "errors.json").read_text(encoding="utf-8")
)

PUBLISHED: Final = """
invalid_arguments not_found not_offered store_unavailable too_slow response_too_large embedding_unavailable
index_not_ready
invalid_settings cannot_start body_incomplete token_missing invalid_token origin_not_allowed host_not_allowed
insufficient_scope no_such_path method_not_allowed not_acceptable body_too_large unsupported_media_type
unsupported_encoding rate_limited internal_error overloaded malformed_request head_incomplete head_too_large
too_many_connections -32700 -32600 -32601 -32602 -32603 -32002
too_large bad_encoding unparseable multi_statement not_select select_into row_lock data_modifying_cte
table_not_allowed unknown_table unknown_column function_not_allowed operator_not_allowed type_not_allowed
unbounded_scan too_expensive parser_disagreement timeout statement_failed ambiguous_question unanswerable
generation_failed
"""
"""Codes that platforms may know, so none is ever renamed or taken away."""

NOT_RECORDED: Final = {
    "body_incomplete": "it comes after 10 s of silence",
    "head_incomplete": "it comes before there is a request, after 15 s of silence",
    "head_too_large": "the server refuses it before there is a request for the application",
    "malformed_request": "what it answers cannot be written down as a request",
    "too_many_connections": "it comes before there is a request",
}
"""Codes that clients can get but no exchange shows, and why."""
REASONS_NOT_RECORDED: Final = {
    "parser_disagreement": "no statement is known in which the parsers disagree",
    "too_large": "a record of 64 KiB would be read by nobody",
}
"""Reason codes that no exchange shows, and why."""


def sample_argument(parameter: inspect.Parameter) -> object:
    """Give an argument of the parameter's type."""
    return b"POST" if parameter.annotation is bytes else 1


def every_refusal() -> Iterator[Refusal]:
    """Give each refusal that the door can make: the fixed ones, and one of each that is made to measure."""
    for member in vars(refusals).values():
        if isinstance(member, Refusal):
            yield member
        elif inspect.isfunction(member) and member.__annotations__.get("return") is Refusal:
            yield member(*map(sample_argument, inspect.signature(member).parameters.values()))


def every_failure() -> set[type[VmkError]]:
    """Give each subclass of `VmkError` in the package, at any depth."""
    for module in pkgutil.walk_packages(vmk_mcp.__path__, "vmk_mcp."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found: set[type[VmkError]] = set()
    open_: list[type[VmkError]] = [VmkError]
    while open_:
        below = open_.pop().__subclasses__()
        open_ += below
        found.update(one for one in below if one.__module__.startswith("vmk_mcp."))
    return found


def shown_codes() -> set[str | int]:
    """Give every code in the recorded responses."""
    return {code for exchange in every_exchange() for code in codes_in(exchange["response"].get("body"))}


def codes_in(body: Any) -> Iterator[str | int]:
    """Give the codes that a response's body says."""
    if not isinstance(body, dict):
        return
    if "request_id" in body:
        yield body["error"]
    elif "error" in body:
        yield body["error"]["code"]
    elif body.get("result", {}).get("isError"):
        yield json.loads(body["result"]["content"][0]["text"])["code"]


def test_every_named_failure_is_listed_with_its_class_and_no_other() -> None:
    listed = CONTRACT["tool_errors"] + CONTRACT["start_errors"]
    declared = [one for one in every_failure() if "code" in vars(one)]
    assert sorted((one["code"], one["class"], one["retryable"]) for one in listed) == sorted(
        (one.code, one.__name__, one.retryable) for one in declared
    )
    assert all(one.__module__ == errors.__name__ for one in declared)


def test_every_refusal_of_the_door_is_listed_with_its_status_and_no_other() -> None:
    listed = sorted((one["status"], one["code"]) for one in CONTRACT["http_refusals"])
    assert listed == sorted((one.status, one.code) for one in every_refusal())


def test_every_json_rpc_code_is_listed_by_its_name_and_no_other() -> None:
    declared = {
        name: code for name, code in vars(envelope).items() if name.isupper() and isinstance(code, int)
    }
    codes = {name: code for name, code in declared.items() if code < 0}
    assert {one["name"]: one["code"] for one in CONTRACT["jsonrpc_errors"]} == codes


def test_no_published_code_is_gone_and_none_is_used_twice() -> None:
    codes = [str(one["code"]) for group in CONTRACT.values() for one in group]
    assert sorted(codes) == sorted(PUBLISHED.split())


@pytest.mark.parametrize("group", CONTRACT)
def test_every_entry_says_what_it_means_and_what_to_do(group: str) -> None:
    for one in CONTRACT[group]:
        assert one["meaning"].endswith(".")
        assert one["what_to_do"].endswith(".")


def test_an_exchange_shows_every_code_that_a_client_can_get() -> None:
    due = {
        one["code"] for group in ("tool_errors", "http_refusals", "jsonrpc_errors") for one in CONTRACT[group]
    }
    assert due - shown_codes() == set(NOT_RECORDED)
    assert shown_codes() <= due


def test_the_exchanges_show_every_reason_to_refuse_a_question_and_no_other() -> None:
    listed = {one["code"] for one in CONTRACT["reason_codes"]}
    bodies = [exchange["response"].get("body") for exchange in every_exchange()]
    results = [body.get("result", {}) for body in bodies if isinstance(body, dict)]
    shown = {result.get("structuredContent", {}).get("reason_code") for result in results} - {None}
    assert listed - shown == set(REASONS_NOT_RECORDED)
    assert shown <= listed


def test_json_rpc_errors_come_with_the_http_status_listed() -> None:
    listed = {one["code"]: set(one["http_status"]) for one in CONTRACT["jsonrpc_errors"]}
    seen: dict[int, set[int]] = {}
    for exchange in every_exchange():
        for code in codes_in(exchange["response"].get("body")):
            if isinstance(code, int):
                seen.setdefault(code, set()).add(exchange["response"]["status"])
    assert seen == {code: statuses for code, statuses in listed.items() if code not in NOT_RECORDED}
