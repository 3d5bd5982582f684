"""Which column of a file fills which field of a listing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.loading.words import fold_word, read_words
from vmk_mcp.listings.model import ListingRecord

PROPERTY_TYPE: Final = "property_type"
"""The field that takes an id, a slug or a name, and fills the column `property_type_id`."""

FIELDS: Final[tuple[str, ...]] = tuple(
    PROPERTY_TYPE if name == "property_type_id" else name for name in ListingRecord.__struct_fields__
)
"""What a file can fill."""

_NEEDED: Final = ("id", "title")


class MappingRules(Struct, frozen=True):
    """What the operator says of a file's columns.

    Attributes:
        fields: field -> column, as asked for; the others are found by name.
        id_from: column whose text ids are made of; empty: the field `id` has a column.
        absent: fields that the live table has no column for.
    """

    fields: Mapping[str, str] = {}
    id_from: str = ""
    absent: frozenset[str] = frozenset()


class ColumnMapping:
    """Column -> field, or None for a column that is not loaded.

    A column asked for by name wins, then one named like the field, then one named by an alias; of several
    the first. Columns that turn up later (in JSON Lines) are given fields that are still free.
    """

    def __init__(self, columns: Sequence[str], rules: MappingRules) -> None:
        """Map `columns`.

        Raises:
            InvalidArguments: a field or a column asked for is not there, or `id` or `title` has none.
        """
        self._rules = rules
        self._fields: dict[str, str | None] = {}
        self._asked = self._find_asked(columns)
        self.id_column = self._find_id_column(columns) if rules.id_from else None
        taken = set(self._asked.values())
        for column in (*_own_names(columns), *columns):
            self._give(column, taken)
        self._require_needed(columns)

    def field_of(self, column: str) -> str | None:
        """Give the field that `column` fills."""
        if column not in self._fields:
            self._give(column, {field for field in self._fields.values() if field})
        return self._fields[column]

    @property
    def fields(self) -> dict[str, str]:
        """Field -> column, in the order of a listing's fields."""
        found = {field: column for column, field in self._fields.items() if field}
        return {field: found[field] for field in FIELDS if field in found}

    @property
    def left_out(self) -> list[str]:
        """The columns that fill nothing."""
        return [
            column for column, field in self._fields.items() if field is None and column != self.id_column
        ]

    def _give(self, column: str, taken: set[str]) -> None:
        if column in self._fields:
            return
        field = self._asked.get(column) or read_words().columns.get(fold_word(column))
        usable = column in self._asked or (
            field is not None
            and field not in taken
            and field not in self._rules.absent
            and not (field == "id" and self._rules.id_from)
        )
        self._fields[column] = field if usable else None
        if usable and field is not None:
            taken.add(field)

    def _find_asked(self, columns: Sequence[str]) -> dict[str, str]:
        asked: dict[str, str] = {}
        for name, wanted in self._rules.fields.items():
            field = PROPERTY_TYPE if name == "property_type_id" else name
            if field not in FIELDS:
                raise InvalidArguments(
                    f"A listing has no field {name!r}.", hint=f"The fields are: {', '.join(FIELDS)}."
                )
            if field in self._rules.absent:
                raise InvalidArguments(
                    f"The table property_listings has no column for {name}.",
                    hint="Leave it out of the mapping, or add the column to the table.",
                )
            asked[_find_column(wanted, columns)] = field
        return asked

    def _find_id_column(self, columns: Sequence[str]) -> str:
        if self._rules.id_from in FIELDS:
            for column, field in self._asked.items():
                if field == self._rules.id_from:
                    return column
        return _find_column(self._rules.id_from, columns)

    def _require_needed(self, columns: Sequence[str]) -> None:
        given = {*self.fields, *(["id"] if self.id_column else [])}
        for field in _NEEDED:
            if field not in given:
                more = " or --id-from COLUMN to make ids of another column's text" if field == "id" else ""
                raise InvalidArguments(
                    f"No column of the file fills the field {field!r}, which every listing needs.",
                    hint=f"Say which with --map {field}=COLUMN{more}. The columns are: {', '.join(columns)}.",
                )


def _own_names(columns: Sequence[str]) -> Iterable[str]:
    """Give the columns that are named like a field, which go before those named by an alias."""
    own = {fold_word(field) for field in FIELDS}
    return [column for column in columns if fold_word(column) in own]


def _find_column(wanted: str, columns: Sequence[str]) -> str:
    for column in columns:
        if column == wanted:
            return column
    same = [column for column in columns if fold_word(column) == fold_word(wanted)]
    if len(same) == 1:
        return same[0]
    raise InvalidArguments(
        f"The file has no column {wanted!r}.", hint=f"Its columns are: {', '.join(columns) or 'none'}."
    )
