"""Results of known shapes put into an order that people read, such as a comparison field by field."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

_INDEX_NAME: Final = re.compile(r"\bINDEX (\S+) ON ")
_FIGURES: Final = ("lower_quartile", "median", "upper_quartile")


def arrange(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give `result` for people; one of a shape that is not known stays as it is."""
    arranged = dict(result)
    if "differing" in result:
        arranged = _arrange_comparison(result)
    if _are_objects(result.get("groups")):
        arranged["groups"] = [_flatten_group(group, result.get("group_by")) for group in result["groups"]]
    if _are_objects(result.get("tables")):
        arranged["tables"] = [_name_indexes(table) for table in result["tables"]]
    for name, rows in arranged.items():
        if _are_objects(rows):
            arranged[name] = [join_price(row) for row in rows]
    return arranged


def explain_query(account: Mapping[str, Any]) -> list[str]:
    """Say what a query was taken to mean, a line for each filter that came out of it."""
    words = account.get("from", {})
    lines = [
        f"understood: «{words.get(name, '')}» -> {name} {_show_plainly(value)}"
        for name, value in account.get("applied", {}).items()
    ]
    lines += [f"not applied: «{one['words']}»: {one['reason']}" for one in account.get("ignored", ())]
    if account.get("search_text"):
        lines.append(f"searched for: «{account['search_text']}»")
    return lines


def join_price(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give a row whose price carries its currency, such as "114,500 USD"."""
    price, currency = row.get("price"), row.get("currency")
    if not isinstance(currency, str) or not isinstance(price, int | float | None) or "price" not in row:
        return dict(row)
    shown = None if price is None else f"{price:,.2f}".removesuffix(".00") + f" {currency}"
    return {name: value for name, value in {**row, "price": shown}.items() if name != "currency"}


def _arrange_comparison(result: Mapping[str, Any]) -> dict[str, Any]:
    """Turn listings side by side into a row for each field in which they differ."""
    listings = [join_price(listing) for listing in result["listings"]]
    fields = [name for name in result["differing"] if any(name in one for one in listings)]
    rows = [
        {"field": field, **{str(one.get("id")): _show_short(one.get(field)) for one in listings}}
        for field in fields
        if field != "id"
    ]
    rest = {name: value for name, value in result.items() if name not in {"listings", "differing"}}
    return {"differing": rows or "nothing", **rest}


def _flatten_group(group: Mapping[str, Any], group_by: str | None) -> dict[str, Any]:
    price, per_m2 = group.get("price") or {}, group.get("price_per_m2") or {}
    named = {"group": group.get("group") or "(not known)"} if group_by else {}
    return {
        **named,
        "currency": group.get("currency"),
        "listings": group.get("listings"),
        **{name.replace("_", " "): price.get(name) for name in _FIGURES},
        "per m2 median": per_m2.get("median"),
    }


def _name_indexes(table: Mapping[str, Any]) -> dict[str, Any]:
    """Give a table's row with the names of its indexes, one a line; what they are is in the JSON."""
    names = [match[1] if (match := _INDEX_NAME.search(text)) else text for text in table.get("indexes", ())]
    return {
        **{name: table.get(name) for name in ("name", "row_count")},
        "indexes": "\n".join(names) or None,
        "missing": table.get("missing") or None,
    }


def _are_objects(value: object) -> bool:
    return isinstance(value, Sequence) and bool(value) and all(isinstance(row, dict) for row in value)


def _show_plainly(value: object) -> str:
    """Show a filter's value as an agent would write it: 15000, not 15,000."""
    if isinstance(value, list):
        return ", ".join(_show_plainly(one) for one in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


def _show_short(value: object, most: int = 48) -> object:
    if isinstance(value, str) and len(value) > most:
        return value[: most - 1].rstrip() + "…"
    return value
