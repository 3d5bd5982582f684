"""What the live database has of the declared tables, and what it therefore can serve."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.errors import NotOffered
from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.tool import Readiness

TABLES: Final = {
    "property_listings": (*ListingRecord.__struct_fields__, "embedding", "search_vector"),
    "property_types": ("id", "slug", "name", "description"),
}
"""The declared columns of each table."""

OPTIONAL: Final = frozenset({"latitude", "longitude", "raw_data_id"})
"""Columns whose absence is no defect of a table."""

NEEDED: Final = frozenset({("property_listings", "id"), ("property_types", "id"), ("property_types", "name")})
"""Columns without which nothing can be served."""

FILTER_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "deal_type": ("deal_type",),
    "city": ("city",),
    "district": ("district",),
    "metro_station": ("metro_station",),
    "building_type": ("building_type",),
    "renovation_status": ("renovation_status",),
    "property_type": ("property_type_id",),
    "currency": ("currency",),
    "min_price": ("price", "currency"),
    "max_price": ("price", "currency"),
    "rooms_count": ("rooms_count",),
    "min_rooms": ("rooms_count",),
    "max_rooms": ("rooms_count",),
    "min_total_area": ("total_area",),
    "max_total_area": ("total_area",),
    "floor": ("floor",),
    "min_floor": ("floor",),
    "max_floor": ("floor",),
    "not_first_floor": ("floor",),
    "not_last_floor": ("floor", "floors_count"),
    "has_balcony": ("balcony_count",),
    "min_building_year": ("building_year",),
    "max_metro_distance_meters": ("metro_distance_meters",),
    "published_since": ("publish_date",),
    "listing_status": ("listing_status",),
    "near": ("latitude", "longitude"),
}
"""The columns that each filter reads."""

SORT_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "relevance": (),
    "price_asc": ("price", "currency"),
    "price_desc": ("price", "currency"),
    "date_desc": ("publish_date",),
    "area_desc": ("total_area",),
}
"""The columns that each order of results reads."""

_VECTOR_TYPES: Final = frozenset({"vector", "vector(768)"})
"""As the server writes them; with a schema before the name, the type lies off the search path."""

_EXACT_BOUND_INLINE: Final = 20_000
_EXACT_BOUND_TOASTED: Final = 10_000
_FIRST_ITERATIVE: Final = (0, 8, 0)
_FIRST_COMPLETE: Final = (0, 8, 4)


class ServerFeatures(Struct, frozen=True):
    """What the live server offers to the searches."""

    server_version: int
    vector_version: str | None
    has_trigrams: bool
    has_ukrainian: bool
    has_property_listings: bool
    has_property_types: bool
    is_superuser: bool
    has_inline_vectors: bool


class LiveColumn(Struct, frozen=True):
    """One column of a live table."""

    table_name: str
    name: str
    type: str
    description: str | None


_EMBEDDING: Final = ("property_listings", "embedding")


class LiveSchema:
    """The live tables compared with the declared ones.

    Attributes:
        vector_type: of `embedding`; an empty text where there is none.
    """

    def __init__(self, features: ServerFeatures, columns: Sequence[LiveColumn]) -> None:
        """Compare; see `missing`."""
        self.features = features
        self.columns = tuple(columns)
        self._present = {(column.table_name, column.name) for column in columns}
        self.vector_type = next((c.type for c in columns if (c.table_name, c.name) == _EMBEDDING), "")

    def has(self, column: str) -> bool:
        """Say whether `property_listings` has `column`."""
        return ("property_listings", column) in self._present

    def missing(self, table: str) -> list[str]:
        """Give the declared columns that the live table lacks, optional ones left out."""
        return [name for name in TABLES[table] if name not in OPTIONAL and (table, name) not in self._present]

    @property
    def text_configuration(self) -> str:
        """The full-text configuration that queries use here."""
        return "ukrainian" if self.features.has_ukrainian else "simple"

    @property
    def exact_bound(self) -> int:
        """Up to how many passing rows an exact scan is the better way, whatever else is known.

        It also measures the costs of routes. From 100,000 rows of 768 dimensions; a vector in a TOAST table
        costs a second look-up.
        """
        return _EXACT_BOUND_INLINE if self.features.has_inline_vectors else _EXACT_BOUND_TOASTED

    @property
    def scans_iteratively(self) -> bool:
        """Whether pgvector goes on until enough rows pass a filter (0.8 and newer)."""
        return _version(self.features.vector_version) >= _FIRST_ITERATIVE

    def require(self, *columns: str, purpose: str) -> None:
        """Raise `NotOffered` where the live table lacks one of `columns`."""
        lacking = [column for column in columns if not self.has(column)]
        if lacking:
            raise NotOffered(
                f"{purpose} is not offered: this database has no column {', '.join(lacking)}.",
                hint="Leave it out, or use another search; describe_schema lists what is offered.",
            )

    def require_vectors(self) -> None:
        """Raise `NotOffered` where the live table has no vectors of our kind."""
        self.require("embedding", purpose="Search by meaning")
        if self.vector_type not in _VECTOR_TYPES:
            raise NotOffered(
                f"Search by meaning is not offered: embedding is a {self.vector_type}, not a vector(768).",
                hint="Use search_by_metadata.",
            )

    def serves_filter(self, name: str) -> bool:
        """Say whether the live table has every column that the filter `name` reads."""
        return all(self.has(column) for column in FILTER_COLUMNS[name])

    def require_filters(self, names: Sequence[str]) -> None:
        """Raise `NotOffered` where a filter reads a column that the live table lacks."""
        for name in names:
            lacking = [column for column in FILTER_COLUMNS[name] if not self.has(column)]
            if lacking:
                raise NotOffered(
                    f"The filter {name} is not offered: this database has no column {', '.join(lacking)}.",
                    hint=f"Leave {name} out; describe_schema lists the filters that are offered.",
                    field=f"filters.{name}",
                )

    def readiness(self) -> Readiness:
        """Say how the family stands with this database."""
        lacking_tables = [
            name
            for name, there in (
                ("property_listings", self.features.has_property_listings),
                ("property_types", self.features.has_property_types),
            )
            if not there
        ]
        if lacking_tables:
            return Readiness("unavailable", (f"no readable table {', '.join(lacking_tables)}",))
        if lacking := [f"{table}.{name}" for table, name in sorted(NEEDED - self._present)]:
            return Readiness("unavailable", (f"no column {', '.join(lacking)}",))
        reasons = tuple(self._shortcomings())
        return Readiness("degraded" if reasons else "ok", reasons)

    def _shortcomings(self) -> list[str]:
        found = [
            f"the table {table} has no column {', '.join(lacking)}"
            for table in TABLES
            if (lacking := self.missing(table))
        ]
        if self.has("embedding") and self.vector_type not in _VECTOR_TYPES:
            found.append(f"embedding is of type {self.vector_type}, not vector(768): no search by meaning")
        version = self.features.vector_version
        if version is None:
            found.append("no extension vector: search by meaning is not offered")
        elif _version(version) < _FIRST_COMPLETE:
            found.append(f"pgvector {version} is older than 0.8.4: filtered search by meaning may miss rows")
        if not self.features.has_ukrainian:
            found.append("no text search configuration ukrainian: words are matched as written (simple)")
        if self.features.is_superuser:
            found.append("the login is a superuser: use vmk_reader, see `vmk-mcp roles`")
        return found


def _version(text: str | None) -> tuple[int, ...]:
    return tuple(int(part) for part in (text or "0").split(".") if part.isdigit())
