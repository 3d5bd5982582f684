"""What the live tables are like, and what follows: what closes the family, what answers leave out."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.errors import NotOffered
from vmk_mcp.spatial.queries import LiveColumn, TableAudit, TownExtent, Unusable
from vmk_mcp.spatial.scope import Scope
from vmk_mcp.spatial.tables import EVERY_KIND, SHARED_COLUMNS, SRID, TABLES, Kind
from vmk_mcp.tool import Readiness

_GEOMETRY: Final = "geometry"
_NEARBY: Final = 0.05
"""Degrees, some five kilometres: what lies that near to the records still counts as the county."""

_LEFT_OUT: Final = (
    "records whose geometry is empty or invalid are left out, results may be incomplete; answers say how "
    "many there are within the token's towns"
)


class Fault(Struct, frozen=True):
    """Why the family cannot serve."""

    kind: Kind
    table: str
    reason: str

    def __str__(self) -> str:
        return f"{self.table} ({self.kind}): {self.reason}"


class Audit(Struct, frozen=True):
    """What was found of the live tables.

    Attributes:
        tables: of each table that could be looked into.
        faults: while there are any, nothing is answered.
        unusable: records that are left out of every answer.
        towns: the towns, the one with most records first.
    """

    tables: Sequence[TableAudit] = ()
    faults: Sequence[Fault] = ()
    unusable: Sequence[Unusable] = ()
    towns: Sequence[TownExtent] = ()

    def require_open(self) -> None:
        """Raise `NotOffered` where a fault closes the family; the records' own names stay inside."""
        if self.faults:
            told = "; ".join(f"{fault.kind}: {fault.reason}" for fault in self.faults)
            raise NotOffered(
                f"The forest-fire tables cannot be searched as they are: {told}.",
                hint="The operator has to mend them; `vmk-mcp audit spatial` shows all that is wrong.",
            )

    def count_unusable(self, kinds: Collection[Kind], scope: Scope) -> int:
        """Count the records of these tables within the caller's towns that are left out of answers."""
        return sum(one.records for one in self.unusable if one.kind in kinds and scope.has(one.town))

    def list_towns(self, scope: Scope) -> list[str]:
        """Give the caller's towns, the one with most records first."""
        return [one.town for one in self.towns if scope.has(one.town)]

    def holds(self, longitude: float, latitude: float, scope: Scope) -> bool:
        """Say whether a point lies in or near the box of one of the caller's towns."""
        return any(
            one.west - _NEARBY <= longitude <= one.east + _NEARBY
            and one.south - _NEARBY <= latitude <= one.north + _NEARBY
            for one in self.towns
            if scope.has(one.town)
        )

    def readiness(self) -> Readiness:
        """Say how the family stands: to operators with the names in the database and all counts."""
        if self.faults:
            return Readiness(
                "unavailable",
                tuple(f"{fault}; no tool answers" for fault in self.faults),
                told=tuple(f"{fault.kind}: {fault.reason}; no tool answers" for fault in self.faults),
            )
        reasons = tuple(
            f"{TABLES[one.kind].name} ({one.kind}): {one.empty} empty and {one.invalid} invalid geometries "
            "are left out, results may be incomplete"
            for one in self.tables
            if one.empty or one.invalid
        )
        return Readiness("degraded", reasons, told=(_LEFT_OUT,)) if reasons else Readiness("ok")


def find_structural_faults(columns: Sequence[LiveColumn]) -> list[Fault]:
    """Find tables and columns that are missing, closed to this login, or of a wrong type."""
    return [
        Fault(kind, TABLES[kind].name, reason)
        for kind in EVERY_KIND
        for reason in _structural_reasons(
            kind, {one.name: one for one in columns if one.table_name == TABLES[kind].name}
        )
    ]


def _structural_reasons(kind: Kind, present: dict[str, LiveColumn]) -> Iterator[str]:
    if not present:
        yield "no such table in the schema public"
        return
    wanted = (*SHARED_COLUMNS, *TABLES[kind].columns)
    if lacking := [name for name in wanted if name not in present]:
        yield f"no column {', '.join(lacking)}"
    if closed := [name for name in wanted if name in present and not present[name].is_readable]:
        yield f"this login may not read {', '.join(closed)}"
    if "geom" in present and present["geom"].type != _GEOMETRY:
        yield f"geom is of type {present['geom'].type}, not {_GEOMETRY}"


def find_geometric_faults(tables: Sequence[TableAudit]) -> list[Fault]:
    """Find geometry of another reference system, of an unfit type, or beyond the earth."""
    return [
        Fault(one.kind, TABLES[one.kind].name, reason) for one in tables for reason in _geometric_reasons(one)
    ]


def _geometric_reasons(table: TableAudit) -> Iterator[str]:
    if others := sorted(set(table.srids) - {SRID}):
        yield f"SRID {', '.join(map(str, others))} instead of {SRID} (WGS 84)"
    fit = TABLES[table.kind].types
    if others_types := sorted(set(table.types) - fit):
        yield f"geometry type {', '.join(others_types)} instead of {' or '.join(sorted(fit))}"
    if table.out_of_range:
        yield "coordinates beyond longitude 180 or latitude 90"
