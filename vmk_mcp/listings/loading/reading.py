"""Rows of a file into rows that can be written: mapped, coerced, and each fault named."""

import hashlib
from typing import Final

from msgspec import Struct

from vmk_mcp.listings.loading.coercion import coerce, is_missing
from vmk_mcp.listings.loading.mapping import PROPERTY_TYPE, ColumnMapping
from vmk_mcp.listings.loading.numbers import DecimalMark
from vmk_mcp.listings.loading.rows import Notice, RawRow, ReadRow, RowFault, Unfit, Value, shorten
from vmk_mcp.listings.loading.types import PropertyTypes

_ID_BITS: Final = 53
"""Ids made of texts: JSON numbers beyond 2^53 lose digits in many clients."""

_NEEDED: Final = {"id": "a whole number (or --id-from COLUMN)", "title": "a text"}


class Reading(Struct, frozen=True):
    """What a row has become: one that can be written, or all of its faults; and what was done on the way."""

    row: ReadRow | None
    faults: list[RowFault]
    notices: list[Notice]


class _Cells:
    """The cells of one row as they are read."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.beside: dict[str, Value] = {}
        self.faults: list[RowFault] = []
        self.notices: list[Notice] = []

    def fill_from_beside(self) -> None:
        """Take what stood in other fields' cells where a field has nothing of its own."""
        for field, value in self.beside.items():
            if self.values.get(field) is None:
                self.values[field] = value


class RowReader:
    """Reads one row after another.

    Args:
        mapping: which column fills which field.
        types: kinds of property.
        mark: what parts the whole of a number from its fraction.
    """

    def __init__(self, mapping: ColumnMapping, types: PropertyTypes, mark: DecimalMark = "auto") -> None:
        self._mapping = mapping
        self._types = types
        self._mark = mark

    def read(self, raw: RawRow) -> Reading:
        """Give what the row becomes."""
        if raw.fault:
            return Reading(None, [RowFault(raw.number, "", "", "", raw.fault)], [])
        cells = _Cells()
        for column, given in raw.values.items():
            field = self._mapping.field_of(column)
            if field is None:
                continue
            try:
                self._put(cells, field, given)
            except Unfit as unfit:
                cells.faults.append(RowFault(raw.number, field, column, shorten(given), str(unfit)))
        cells.fill_from_beside()
        if self._mapping.id_column is not None:
            cells.values["id"] = _make_id(raw.values.get(self._mapping.id_column))
        cells.faults += self._find_missing(raw.number, cells)
        identity = cells.values.get("id")
        if cells.faults or not isinstance(identity, int):
            return Reading(None, cells.faults, cells.notices)
        return Reading(ReadRow(raw.number, identity, cells.values), [], cells.notices)

    def _put(self, cells: _Cells, field: str, given: object) -> None:
        if field == PROPERTY_TYPE:
            cells.values["property_type_id"] = None if is_missing(given) else self._types.find_id(given)
            return
        coerced = coerce(field, given, self._mark)
        cells.values[field] = coerced.value
        cells.beside.update(coerced.beside)
        if coerced.noticed:
            cells.notices.append(Notice(field, coerced.noticed, shorten(given)))

    def _find_missing(self, number: int, cells: _Cells) -> list[RowFault]:
        known = {fault.field for fault in cells.faults}
        columns = self._mapping.fields | {"id": self._mapping.id_column or self._mapping.fields.get("id", "")}
        return [
            RowFault(number, field, columns.get(field, ""), "", f"nothing stands where {wanted} is needed")
            for field, wanted in _NEEDED.items()
            if cells.values.get(field) is None and field not in known
        ]


def _make_id(given: object) -> int | None:
    """Give the number that stands for a text, always the same; None for no text.

    Of a million texts two meet with a chance of one in 18,000.
    """
    if is_missing(given):
        return None
    digest = hashlib.blake2b(str(given).strip().encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) >> (64 - _ID_BITS)
