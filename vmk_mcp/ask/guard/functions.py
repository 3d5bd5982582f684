"""Calls: the function on the list, the number of its arguments, and what it costs."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from postgast import pg_query_pb2 as pg

from vmk_mcp.ask.guard.extents import UNKNOWN, Extent, sum_sizes
from vmk_mcp.ask.guard.lists import read_calls
from vmk_mcp.ask.guard.refusing import Refused, show_name, suggest_name
from vmk_mcp.ask.guard.results import RESULTS, Call
from vmk_mcp.ask.guard.scopes import Scope


class _Listed(Struct, frozen=True):
    group: str
    fewest: int
    most: int


_FUNCTIONS: Final = {
    name: _Listed(group, fewest, most)
    for group, functions in read_calls("functions").items()
    for name, (fewest, most) in functions.items()
}
# Its arguments are units of time, which nobody remembers the order of.
_NAMED_ARGUMENTS: Final = frozenset({"make_interval"})
# What the grammar itself calls for SIMILAR TO and its kin; nobody writes it.
_GRAMMAR_ONLY: Final = frozenset({"similar_to_escape"})


def vet_call(call: pg.FuncCall, scope: Scope, vet: Callable[[pg.Node, Scope], Extent]) -> Extent:
    """Hold a call to the list, and what stands in it to `vet`.

    Raises:
        Refused: `function_not_allowed` or `too_expensive`.
    """
    name, listed = find_function(call)
    count = 0 if call.agg_star else len(call.args)
    if not listed.fewest <= count <= listed.most or (call.agg_star and name != "count"):
        raise Refused(
            "function_not_allowed",
            f"The function {show_name(name)} takes {_say_arguments(listed)}, not {count}.",
        )
    if name not in _NAMED_ARGUMENTS and any(arg.HasField("named_arg_expr") for arg in call.args):
        raise Refused(
            "function_not_allowed", f"Write the arguments of {show_name(name)} in their order, without names."
        )
    makes_rows = listed.group == "sets"
    if makes_rows and scope.makes_rows:
        raise Refused(
            "too_expensive",
            f"The function {show_name(name)} makes rows within a call that makes rows: name it in FROM.",
        )
    scope.makes_rows = scope.makes_rows or makes_rows
    arguments = [vet(argument, scope) for argument in call.args]
    if makes_rows:
        scope.makes_rows = False
    _vet_rest(call, scope, vet)
    return _result(Call(name, listed.group, tuple(arguments)), scope)


def find_function(call: pg.FuncCall) -> tuple[str, _Listed]:
    """Find a called function on the list.

    Raises:
        Refused: `function_not_allowed`.
    """
    parts = [part.string.sval for part in call.funcname]
    name = parts[-1]
    is_plain = parts[:-1] in ([], ["pg_catalog"])
    if name in _GRAMMAR_ONLY and parts[:-1] == ["pg_catalog"]:
        return name, _Listed("texts", 1, 2)
    if not is_plain or name not in _FUNCTIONS:
        raise Refused(
            "function_not_allowed",
            f"The function {show_name('.'.join(parts))} is not allowed.{suggest_name(name, _FUNCTIONS)}",
        )
    return name, _FUNCTIONS[name]


def is_aggregate(call: pg.FuncCall) -> bool:
    """Say whether a call makes one value of many rows, and is not spread over a window."""
    listed = _FUNCTIONS.get(call.funcname[-1].string.sval)
    return bool(
        listed and not call.HasField("over") and (listed.group == "aggregates" or call.agg_within_group)
    )


def makes_rows(call: pg.FuncCall) -> bool:
    """Say whether a call gives rows, not one value."""
    listed = _FUNCTIONS.get(call.funcname[-1].string.sval)
    return bool(listed and listed.group == "sets")


def _vet_rest(call: pg.FuncCall, scope: Scope, vet: Callable[[pg.Node, Scope], Extent]) -> None:
    for sort in call.agg_order:
        vet(sort.sort_by.node, scope)
    vet(call.agg_filter, scope)
    vet_window(call.over, scope, vet)


def vet_window(window: pg.WindowDef, scope: Scope, vet: Callable[[pg.Node, Scope], Extent]) -> None:
    """Hold what a window is divided, sorted and framed by to `vet`."""
    for node in window.partition_clause:
        vet(node, scope)
    for sort in window.order_clause:
        vet(sort.sort_by.node, scope)
    vet(window.start_offset, scope)
    vet(window.end_offset, scope)


def _result(call: Call, scope: Scope) -> Extent:
    rule = RESULTS.get(call.name)
    if rule is not None:
        return rule(call, scope)
    if call.group == "windows":
        return _pass(call.arguments)
    return sum_sizes(call.arguments)


def _pass(arguments: Sequence[Extent]) -> Extent:
    return arguments[0] if arguments else UNKNOWN


def _say_arguments(listed: _Listed) -> str:
    if listed.fewest == listed.most:
        return f"{listed.most} argument{'s' * (listed.most != 1)}"
    return f"{listed.fewest} to {listed.most} arguments"
