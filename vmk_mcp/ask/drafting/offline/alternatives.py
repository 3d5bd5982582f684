"""`Denied or cancelled`: several values of one column are alternatives; other alternatives are not read."""

from collections.abc import Sequence

from msgspec.structs import replace

from vmk_mcp.ask.drafting.offline.query import Condition, ambiguous
from vmk_mcp.ask.drafting.offline.reading import Reading


def join_values(reading: Reading, conditions: Sequence[Condition]) -> list[Condition]:
    """Join equalities of one column into one condition: no row has two values in it.

    Raises:
        Unclear: `or` stands between conditions of different columns.
    """
    joined: list[Condition] = []
    for one in conditions:
        alike = [at for at, other in enumerate(joined) if _are_alike(one, other)]
        if alike:
            other = joined[alike[0]]
            joined[alike[0]] = replace(other, others=(*other.others, one))
        else:
            joined.append(one)
    _forbid_alternatives(reading, joined)
    return joined


def _are_alike(one: Condition, other: Condition) -> bool:
    return one.operator == other.operator == "=" and one.place == other.place and one.value != other.value


def _forbid_alternatives(reading: Reading, conditions: Sequence[Condition]) -> None:
    spans = [
        (min(places), max(places))
        for one in conditions
        if len(places := [one.position, *(other.position for other in one.others)]) > 1
    ]
    for position, item in enumerate(reading.items):
        is_joined = any(first < position < last for first, last in spans)
        if item.kind == "join" and item.sense == "or" and not is_joined:
            raise ambiguous("“Or” is read between values of one column only. Ask for one after the other.")
