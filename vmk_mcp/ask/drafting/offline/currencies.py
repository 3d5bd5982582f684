"""Sums of money are of one currency: where a table says which, a question has to."""

from collections.abc import Iterator, Sequence

from vmk_mcp.ask.drafting.offline.columns import is_money, is_text
from vmk_mcp.ask.drafting.offline.query import Condition, Place, Query, ambiguous
from vmk_mcp.ask.drafting.offline.reading import Reading

_CURRENCY = "currency"


def read_currencies(reading: Reading) -> list[Condition]:
    """Read `in dollars` into conditions; without a column of currencies it is no more than a unit."""
    conditions = []
    for position, item in enumerate(reading.items):
        if item.kind != _CURRENCY:
            continue
        reading.use(position)
        for table in sorted(reading.known_tables()):
            place = _find_currency(reading, table)
            if place is not None:
                conditions.append(Condition(place, "=", item.sense, position))
    return conditions


def require_currency(reading: Reading, query: Query) -> None:
    """Raise `Unclear` where amounts of several currencies would be mixed."""
    known = {
        one.place.table
        for one in query.conditions
        if one.place.column.name == _CURRENCY and one.operator == "="
    }
    known |= {
        group.place.table for group in query.groups if group.place and group.place.column.name == _CURRENCY
    }
    for place in _amounts(query):
        if place.table not in known and _find_currency(reading, place.table) is not None:
            raise ambiguous(
                f"“{place.column.name}” of {place.table} is in several currencies, which would be mixed. "
                "Say in which currency, such as in USD, or ask by currency."
            )


def _amounts(query: Query) -> Iterator[Place]:
    places = [measure.place for measure in query.measures]
    places += [
        one.place
        for one in query.conditions
        if one.operator in {"<", "<=", ">", ">=", "=", "> average", "< average"}
    ]
    places += [scope.measure.place for scope in query.scopes if scope.measure is not None]
    places += [query.order.place] if query.order is not None else []
    yield from (place for place in places if place is not None and is_money(place.column))


def _find_currency(reading: Reading, table: str) -> Place | None:
    columns: Sequence[Place] = [
        Place(table, column)
        for column in reading.vocabulary.tables[table].columns
        if column.name == _CURRENCY and is_text(column)
    ]
    return columns[0] if columns else None
