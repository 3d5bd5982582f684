"""What names mean at one level of a statement, by PostgreSQL's own rules of visibility."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct
from postgast.pg_query_pb2 import SelectStmt

from vmk_mcp.ask.guard.extents import UNKNOWN, Extent, join_extents
from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.refusing import Refused, show_name, suggest_name
from vmk_mcp.ask.model import OpenTable

_NONE: Final[Mapping[str, "Source"]] = {}


class Column(Struct, frozen=True):
    """A column that can be named.

    Attributes:
        owner: the relation to write before it, empty where none need be.
        sides: the relations that a column of USING stands for.
    """

    name: str
    extent: Extent = UNKNOWN
    owner: str = ""
    sides: frozenset[str] = frozenset()

    @property
    def relations(self) -> frozenset[str]:
        """The relations of FROM that it comes from."""
        return self.sides or frozenset({self.owner})


class Source(Struct, frozen=True):
    """A relation with columns: a table, a step of WITH, a sub-query, a function in FROM, a join.

    Attributes:
        name: what it is called by; empty where it has no name.
        columns: in order.
        rows: an estimate.
        is_table: it is a table, or a join of some, so that a row of it holds columns that the schema closes.
        schema: of a table that has no alias.
        key: the primary key of a table.
        scans: names of the large tables that it shows whole.
    """

    name: str
    columns: tuple[Column, ...]
    rows: float = 1.0
    is_table: bool = False
    schema: str = ""
    key: tuple[str, ...] = ()
    scans: tuple[str, ...] = ()

    def column(self, name: str) -> Column | None:
        """Find a column by its name."""
        return next((column for column in self.columns if column.name == name), None)


class Item(Struct, frozen=True):
    """A source as FROM shows it: a join hides the bare names of its sides, but not the sides."""

    source: Source
    shows_columns: bool = True
    shows_name: bool = True


class SelectVetter(Protocol):
    """Walks a SELECT within a scope; gives what it yields, as a source without a name."""

    def __call__(self, select: SelectStmt, outer: "Scope") -> Source:
        """See `selects.vet_select`."""


class Ward(Struct, frozen=True):
    """What stays the same in a whole statement.

    Attributes:
        schema: the name of the schema that the tables lie in.
        tables: by name.
        read: names of tables that are read; filled on the way.
        vet_select: for sub-queries.
    """

    schema: str
    tables: Mapping[str, OpenTable]
    limits: GuardLimits
    read: set[str]
    vet_select: SelectVetter


class Scope:
    """One level of names within those around it.

    Attributes:
        ward: of the whole statement.
        items: of FROM, in order.
        steps: of WITH, as far as they can be named here.
        rows: an estimate of what FROM yields.
        reached: names of this level's sources that were named from here or from within.
        series_rows: rows that the calls in a list of values make for each row.
        makes_rows: a call under way makes rows already, so that none in it may.
        aggregates: something makes one value of many rows.
        has_windows: something looks at the rows around.
    """

    def __init__(self, ward: Ward, outer: "Scope | None", steps: Mapping[str, Source] = _NONE) -> None:
        self.ward = ward
        self.outer = outer
        self.items: list[Item] = []
        self.steps: Mapping[str, Source] = steps
        self.rows = 1.0
        self.series_rows = 1.0
        self.reached: set[str] = set()
        self.makes_rows = False
        self.aggregates = False
        self.has_windows = False

    def within(self, items: Sequence[Item]) -> "Scope":
        """Give a scope of the same level that sees only `items`, and notes for itself what is reached."""
        scope = Scope(self.ward, self.outer, self.steps)
        scope.items = list(items)
        scope.rows = self.rows
        return scope

    def levels(self) -> Iterator["Scope"]:
        """Go from here outwards."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def find_step(self, name: str) -> Source | None:
        """Find a step of WITH."""
        return next((scope.steps[name] for scope in self.levels() if name in scope.steps), None)

    def resolve(self, parts: Sequence[str]) -> Extent:
        """Find what a dotted name means.

        Raises:
            Refused: `unknown_column`, `unknown_table`, or `table_not_allowed` for the row of a table.
        """
        if len(parts) == 1:
            return self._resolve_bare(parts[0])
        owner = self.find_source(parts[:-1])
        column = owner.column(parts[-1])
        if column is None:
            raise _refuse_column(parts[-1], owner.columns, f" of {show_name(owner.name)}")
        return column.extent

    def find_source(self, parts: Sequence[str]) -> Source:
        """Find the nearest relation of FROM by its name, with its schema before it or not.

        Raises:
            Refused: `unknown_table`.
        """
        for scope in self.levels():
            for item in scope.items:
                if item.shows_name and _is_called(item.source, parts):
                    scope.reached.add(item.source.name)
                    return item.source
        names = [item.source.name for scope in self.levels() for item in scope.items if item.source.name]
        shown = show_name(".".join(parts))
        raise Refused("unknown_table", f"The FROM names no {shown}.{suggest_name(parts[-1], names)}")

    def has_source(self, name: str) -> bool:
        """Say whether FROM, here or around, names a relation so."""
        return any(
            item.shows_name and item.source.name == name for scope in self.levels() for item in scope.items
        )

    def find_bare(self, name: str) -> Extent | None:
        """Find a column by its bare name, outwards."""
        for scope in self.levels():
            found = [
                column
                for item in scope.items
                if item.shows_columns and (column := item.source.column(name)) is not None
            ]
            if found:
                scope.reached.update(*(column.relations for column in found))
                return join_extents(column.extent for column in found)
        return None

    def _resolve_bare(self, name: str) -> Extent:
        extent = self.find_bare(name)
        if extent is not None:
            return extent
        return self._resolve_row(name)

    def _resolve_row(self, name: str) -> Extent:
        """Take a name that no column has for a relation, whose row it then is."""
        if not self.has_source(name):
            columns = [
                column for scope in self.levels() for item in scope.items for column in item.source.columns
            ]
            raise _refuse_column(name, columns)
        source = self.find_source([name])
        if source.is_table:
            raise refuse_row(name)
        return Extent(size=sum(column.extent.size for column in source.columns))


def refuse_row(name: str) -> Refused:
    """Say that a whole row of a table cannot be taken."""
    return Refused(
        "unknown_column",
        f"The name {show_name(name)} stands for a whole row of a table: name the columns that are wanted.",
    )


def _is_called(source: Source, parts: Sequence[str]) -> bool:
    if source.name != parts[-1]:
        return False
    return len(parts) == 1 or (bool(source.schema) and list(parts[:-1]) == [source.schema])


def _refuse_column(name: str, columns: Sequence[Column], where: str = "") -> Refused:
    near = suggest_name(name, {column.name for column in columns})
    return Refused("unknown_column", f"There is no column {show_name(name)}{where}.{near}")
