"""What single functions make of their arguments' extents, and limits for those that stretch them."""

import math
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from vmk_mcp.ask.guard.extents import (
    PROSE,
    SMALL,
    TODAY,
    UNKNOWN,
    Extent,
    as_number,
    join_extents,
    number,
    sum_sizes,
)
from vmk_mcp.ask.guard.patterns import check_format, check_path, check_pattern
from vmk_mcp.ask.guard.powers import check_power
from vmk_mcp.ask.guard.refusing import Refused, show_name
from vmk_mcp.ask.guard.scopes import Scope
from vmk_mcp.ask.guard.series import count_series


class Call(Struct, frozen=True):
    """A call whose function and number of arguments are allowed."""

    name: str
    group: str
    arguments: tuple[Extent, ...]


_Rule = Callable[[Call, Scope], Extent]


def _first(call: Call, scope: Scope) -> Extent:
    del scope
    return call.arguments[0]


def _sum(call: Call, scope: Scope) -> Extent:
    del scope
    return sum_sizes(call.arguments)


def _gather(call: Call, scope: Scope) -> Extent:
    return Extent(size=sum_sizes(call.arguments).size * max(scope.rows, 1.0))


def _up_to(bound: float) -> _Rule:
    def rule(call: Call, scope: Scope) -> Extent:
        del call, scope
        return Extent(low=-bound, high=bound)

    return rule


def _up_to_size(call: Call, scope: Scope) -> Extent:
    del scope
    return Extent(low=0, high=call.arguments[0].size)


def _up_to_rows(call: Call, scope: Scope) -> Extent:
    del call
    return Extent(low=0, high=max(scope.rows, 1.0))


def _times(factor: float) -> _Rule:
    def rule(call: Call, scope: Scope) -> Extent:
        del scope
        return Extent(size=sum_sizes(call.arguments).size * factor)

    return rule


def _stretch(call: Call, scope: Scope) -> Extent:
    """`repeat`, `lpad`, `rpad`: how far they stretch must be known."""
    text, times = call.arguments[0], as_number(call.arguments[1])
    limit = scope.ward.limits.text_length
    length = text.size * times.high if call.name == "repeat" and text.text is not None else times.high
    if not length <= limit:
        raise Refused(
            "too_expensive",
            f"The function {show_name(call.name)} may stretch a text to {limit} characters, and "
            f"its number must be seen to stay within: write it out, or LEAST(..., {limit}).",
        )
    return Extent(size=text.size * max(times.high, 1.0) if call.name == "repeat" else text.size + times.high)


def _cut(call: Call, scope: Scope) -> Extent:
    del scope
    known = [argument.high for argument in call.arguments[1:] if argument.high >= 0]
    return Extent(size=min(call.arguments[0].size, *known[-1:], math.inf))


def _replace(call: Call, scope: Scope) -> Extent:
    del scope
    return Extent(size=(call.arguments[0].size + 1) * (call.arguments[2].size + 1))


def _separate(call: Call, scope: Scope) -> Extent:
    """`array_to_string` puts a text between any two elements, and another for each that is null."""
    del scope
    return Extent(
        size=(call.arguments[0].size + 1) * (1 + sum(argument.size for argument in call.arguments[1:]))
    )


def _replace_pattern(call: Call, scope: Scope) -> Extent:
    check_pattern(call.arguments[1])
    # A replacement of n letters can name the match n/2 times.
    return _replace(call, scope)


def _match(call: Call, scope: Scope) -> Extent:
    del scope
    check_pattern(call.arguments[1])
    return Extent(low=0, high=call.arguments[0].size + 1, size=call.arguments[0].size * 2 + SMALL)


def _similar(call: Call, scope: Scope) -> Extent:
    del scope
    check_pattern(call.arguments[0])
    return call.arguments[0]


def _substring(call: Call, scope: Scope) -> Extent:
    """`substring` takes a place, or a pattern as a text."""
    second = call.arguments[1]
    if second.text is not None:
        check_pattern(second)
    return _cut(call, scope) if second.text is None else call.arguments[0]


def _format(call: Call, scope: Scope) -> Extent:
    added = check_format(call.arguments[0], scope.ward.limits)
    longest = max((argument.size for argument in call.arguments[1:]), default=0.0)
    # A template can name the same argument as often as it has room for.
    return Extent(size=added + longest * call.arguments[0].size / 2)


def _power(call: Call, scope: Scope) -> Extent:
    return check_power(call.arguments[0], call.arguments[1], scope.ward.limits)


def _extract(call: Call, scope: Scope) -> Extent:
    del scope
    return _PARTS.get(call.arguments[0].text or "", UNKNOWN)


def _modulo(call: Call, scope: Scope) -> Extent:
    del scope
    return Extent(low=-call.arguments[1].reach, high=call.arguments[1].reach)


def _series(call: Call, scope: Scope) -> Extent:
    scope.series_rows = count_series(call.arguments, scope.ward.limits)
    return Extent(
        low=min(call.arguments[0].low, call.arguments[1].low),
        high=max(call.arguments[0].high, call.arguments[1].high),
    )


def _spread(call: Call, scope: Scope) -> Extent:
    """Sets that take a value apart have as many rows as it may have pieces."""
    size = call.arguments[0].size
    scope.series_rows = max(size, 1.0) if size > PROSE else _PIECES
    if call.name.startswith("regexp"):
        check_pattern(call.arguments[1])
    return Extent(size=size)


def _path(call: Call, scope: Scope) -> Extent:
    del scope
    check_path(call.arguments[1])
    return sum_sizes(call.arguments)


def _path_rows(call: Call, scope: Scope) -> Extent:
    scope.series_rows = _PIECES
    return _path(call, scope)


def _clock(call: Call, scope: Scope) -> Extent:
    del call, scope
    return TODAY


def _truncate_date(call: Call, scope: Scope) -> Extent:
    del scope
    return call.arguments[1]


def _round(call: Call, scope: Scope) -> Extent:
    del scope
    value = as_number(call.arguments[0])
    return Extent(low=value.low - 1, high=value.high + 1, is_double=value.is_double)


def _absolute(call: Call, scope: Scope) -> Extent:
    del scope
    value = as_number(call.arguments[0])
    return Extent(low=0, high=value.reach, is_double=value.is_double)


def _any(call: Call, scope: Scope) -> Extent:
    del scope
    return join_extents(call.arguments[::2])


def _double(call: Call, scope: Scope) -> Extent:
    del scope
    return Extent(is_double=call.arguments[0].is_double)


_PIECES: Final = 20.0
_PARTS: Final = {
    "day": number(31), "dow": number(6), "doy": number(366), "hour": number(23), "isodow": number(7),
    "minute": number(59), "month": number(12), "quarter": number(4), "second": number(60), "week": number(53),
}  # fmt: skip

RESULTS: Final[dict[str, _Rule]] = {
    "abs": _absolute,
    "array_agg": _gather,
    "array_length": _up_to_size,
    "array_to_string": _separate,
    "avg": _first,
    "cardinality": _up_to_size,
    "ceil": _round,
    "ceiling": _round,
    "char_length": _up_to_size,
    "character_length": _up_to_size,
    "concat": _sum,
    "count": _up_to_rows,
    "date_part": _extract,
    "date_trunc": _truncate_date,
    "dense_rank": _up_to_rows,
    "exp": _double,
    "extract": _extract,
    "first_value": _first,
    "floor": _round,
    "format": _format,
    "generate_series": _series,
    "json_agg": _gather,
    "json_array_length": _up_to_size,
    "json_object_agg": _gather,
    "jsonb_agg": _gather,
    "jsonb_array_length": _up_to_size,
    "jsonb_object_agg": _gather,
    "jsonb_path_exists": _path,
    "jsonb_path_match": _path,
    "jsonb_path_query": _path_rows,
    "jsonb_path_query_array": _path,
    "jsonb_path_query_first": _path,
    "jsonb_pretty": _times(20.0),
    "lag": _any,
    "last_value": _first,
    "lead": _any,
    "left": _cut,
    "length": _up_to_size,
    "lpad": _stretch,
    "max": _first,
    "min": _first,
    "mod": _modulo,
    "mode": lambda call, scope: UNKNOWN,
    "now": _clock,
    "octet_length": _up_to_size,
    "pow": _power,
    "power": _power,
    "quote_ident": _times(2.0),
    "quote_literal": _times(2.0),
    "quote_nullable": _times(2.0),
    "rank": _up_to_rows,
    "regexp_count": _match,
    "regexp_instr": _match,
    "regexp_like": _match,
    "regexp_match": _match,
    "regexp_replace": _replace_pattern,
    "regexp_split_to_array": _match,
    "regexp_substr": _match,
    "repeat": _stretch,
    "replace": _replace,
    "right": _cut,
    "round": _round,
    "row_number": _up_to_rows,
    "rpad": _stretch,
    "sign": _up_to(1.0),
    "similar_to_escape": _similar,
    "sqrt": _absolute,
    "statement_timestamp": _clock,
    "string_agg": _gather,
    "string_to_array": _times(2.0),
    "substr": _cut,
    "substring": _substring,
    "transaction_timestamp": _clock,
    "trunc": _round,
    "width_bucket": lambda call, scope: Extent(low=0, high=call.arguments[-1].high + 1),
}
_SPREADING: Final = (
    "generate_subscripts", "json_array_elements", "json_array_elements_text", "json_each", "json_each_text",
    "json_object_keys", "jsonb_array_elements", "jsonb_array_elements_text", "jsonb_each", "jsonb_each_text",
    "jsonb_object_keys", "regexp_matches", "regexp_split_to_table", "string_to_table", "unnest",
)  # fmt: skip
RESULTS.update(dict.fromkeys(_SPREADING, _spread))
