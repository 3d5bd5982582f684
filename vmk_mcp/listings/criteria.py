"""From what a caller wrote to what SQL compares: names resolved, money converted, faults named."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.filters import ANY_STATUS, ENUMERATED, NAMED, RANGES, Criteria, Filters
from vmk_mcp.listings.interpretation.names import place_names
from vmk_mcp.listings.model import PriceBasis
from vmk_mcp.listings.money import ExchangeRates, PriceBounds, convert_bounds, single_currency
from vmk_mcp.listings.normalize import drop_unreadable
from vmk_mcp.listings.values import ValueIndex

_AS_GIVEN: Final = (set(Filters.__struct_fields__) & set(Criteria.__struct_fields__)) - {"currency"}
"""Filters that SQL takes as they are."""

_MOST_COMPARED: Final = 5
"""Unknown names of a field that are compared with all stored ones, at about a millisecond each."""


class Resolved(Struct, frozen=True):
    """Filters as SQL takes them, how a price bound was read, and what to tell the caller."""

    criteria: Criteria
    basis: PriceBasis | None
    hints: list[str]


def resolve_filters(
    filters: Filters,
    values: ValueIndex,
    *,
    price_currency: str,
    rates: ExchangeRates | None,
    has_status: bool = True,
) -> Resolved:
    """Resolve `filters` against the stored values.

    A name that is stored otherwise, and can mean nothing else («Киев»), is read so, which a hint tells; one
    that occurs nowhere stays as it is, so that nothing matches, and earns a hint with the nearest. Where
    listings have no status (`has_status` false), all of them are searched.

    Raises:
        InvalidArguments: two bounds contradict each other, or a word is in no enumeration.
    """
    _check_ranges(filters)
    hints: list[str] = []
    names = {field: _resolve_names(field, getattr(filters, field) or None, values, hints) for field in NAMED}
    words = {field: _resolve_words(field, getattr(filters, field) or None, values) for field in ENUMERATED}
    currency = _resolve_currency(filters.currency, values)
    bounds = _price_bounds(filters, currency, price_currency, rates)
    near = filters.near
    criteria = Criteria(
        **{name: getattr(filters, name) for name in _AS_GIVEN},
        deal_types=words["deal_type"],
        cities=names["city"],
        districts=names["district"],
        metro_stations=names["metro_station"],
        building_types=words["building_type"],
        renovation_statuses=words["renovation_status"],
        property_type_ids=_resolve_property_types(filters.property_type or None, values),
        currency=currency,
        price_currencies=bounds.currencies if bounds else None,
        price_minima=bounds.minima if bounds else None,
        price_maxima=bounds.maxima if bounds else None,
        rooms_counts=filters.rooms_count or None,
        floors=filters.floor or None,
        listing_statuses=_resolve_statuses(words["listing_status"], values) if has_status else None,
        near_latitude=near.latitude if near else None,
        near_longitude=near.longitude if near else None,
        near_radius_m=near.radius_m if near else None,
    )
    return Resolved(criteria, bounds.basis if bounds else None, hints)


def named_values(criteria: Criteria) -> dict[str, list[str] | None]:
    """Give the stored spellings that the filters want, by column; None where they want none."""
    return {
        "deal_type": criteria.deal_types,
        "city": criteria.cities,
        "district": criteria.districts,
        "metro_station": criteria.metro_stations,
        "building_type": criteria.building_types,
        "renovation_status": criteria.renovation_statuses,
        "listing_status": criteria.listing_statuses,
        "currency": None if criteria.currency is None else [criteria.currency],
    }


def _check_ranges(filters: Filters) -> None:
    for low, high in RANGES:
        lower, upper = getattr(filters, low), getattr(filters, high)
        if lower is not None and upper is not None and lower > upper:
            raise InvalidArguments(
                f"The filter {low} ({lower:.15g}) is above {high} ({upper:.15g}): nothing can match.",
                hint=f"Swap {low} and {high}, or leave one out.",
                field=f"filters.{low}",
            )


def _resolve_names(
    field: str, given: list[str] | None, values: ValueIndex, hints: list[str]
) -> list[str] | None:
    if given is None:
        return None
    resolved: list[str] = []
    unknown = 0
    for name in given:
        spellings = values.spellings(field, name)
        if not spellings and (meant := place_names(values).meant(field, name)):
            spellings = values.spellings(field, meant)
            hints.append(f"{field} {name!r} was read as {meant!r}")
        resolved.extend(spellings or [drop_unreadable(name)])
        if not spellings:
            unknown += 1
            nearest = values.nearest(field, name) if unknown <= _MOST_COMPARED else []
            known = f"; nearest known: {', '.join(nearest)}" if nearest else ""
            hints.append(f"no listing has {field} {name!r}{known}")
    return resolved


def _resolve_words(field: str, given: list[str] | None, values: ValueIndex) -> list[str] | None:
    if given is None:
        return None
    known = values.known_words(field)
    if field == "listing_status":
        known = {**known, ANY_STATUS: ANY_STATUS}
    unknown = [word for word in given if word.strip().casefold() not in known]
    if unknown:
        raise InvalidArguments(
            f"The filter {field} cannot be {_quoted(unknown)}.",
            hint=f"It is one of: {', '.join(known.values())}.",
            field=f"filters.{field}",
        )
    chosen = [known[word.strip().casefold()] for word in given]
    return [spelling for word in chosen for spelling in (values.spellings(field, word) or [word])]


def _resolve_statuses(words: list[str] | None, values: ValueIndex) -> list[str] | None:
    if words is None:
        return values.spellings("listing_status", "active") or ["active"]
    return None if ANY_STATUS in words else words


def _resolve_property_types(given: list[int | str] | None, values: ValueIndex) -> list[int] | None:
    if given is None:
        return None
    found = {word: values.property_type_id(word) for word in given}
    if unknown := [word for word, kind in found.items() if kind is None]:
        raise InvalidArguments(
            f"The filter property_type cannot be {_quoted(unknown)}.",
            hint=f"It is one of: {', '.join(map(str, values.property_types))}.",
            field="filters.property_type",
        )
    return [kind for kind in found.values() if kind is not None]


def _resolve_currency(currency: str | None, values: ValueIndex) -> str | None:
    if currency is None:
        return None
    known = values.known_words("currency")
    if (found := known.get(currency.strip().casefold())) is None:
        raise InvalidArguments(
            f"The filter currency cannot be {currency!r}.",
            hint=f"It is one of: {', '.join(known.values())}.",
            field="filters.currency",
        )
    return next(iter(values.spellings("currency", found)), found)


def _price_bounds(
    filters: Filters, currency: str | None, price_currency: str, rates: ExchangeRates | None
) -> PriceBounds | None:
    if filters.min_price is None and filters.max_price is None:
        return None
    if currency is not None:
        return single_currency(filters.min_price, filters.max_price, currency=currency)
    return convert_bounds(filters.min_price, filters.max_price, currency=price_currency, rates=rates)


def _quoted(words: Iterable[object]) -> str:
    return ", ".join(repr(word) for word in words)
