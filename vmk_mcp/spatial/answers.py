"""From what was found to an answer: rows with their geometry, how far the list goes, what must be said."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypedDict

import msgspec
from msgspec import UNSET, Struct, UnsetType

from vmk_mcp.spatial.arguments import MAX_OFFSET
from vmk_mcp.spatial.audit import Audit
from vmk_mcp.spatial.model import GeoJson
from vmk_mcp.spatial.queries import ShapeRow
from vmk_mcp.spatial.scope import Scope
from vmk_mcp.spatial.tables import Kind

NEARNESS: Final = (
    "Distances say how near things are as the crow flies: nothing is known of roads, terrain, fire, weather "
    "or traffic."
)
REPRESENTATIVE: Final = (
    "A representative_point lies somewhere inside its area and is no confirmed drill point; have the user "
    "confirm a point before it is used as one."
)
NO_GRID: Final = (
    "No fire grid that this token may see covers the point; find_responsible_squadron names the nearest "
    "grid's squadron."
)
NO_SQUADRON: Final = "A fire grid covers the point, but no squadron is on record for it."
NEAREST_SQUADRON: Final = (
    "No fire grid that this token may see covers the point: this is the squadron of the nearest grid, whose "
    "responsibility is not established."
)
GRIDS_ARE_RECORDS: Final = "Grids and squadrons are those on record; who is on duty is not known here."
CANDIDATES: Final = (
    "These are places on record that a command post could use; none is known to be one or staffed."
)
NOT_EVERY_RISK: Final = (
    "Only burial grounds and works on record are looked for; a place without any is not thereby safe."
)
NEAREST_POINT: Final = (
    "nearest_longitude and nearest_latitude are the point of the passage that is nearest to the given one; "
    "whether it can be driven on is not known."
)

_NO_TOWNS: Final = (
    "This token may see no town, so nothing can be found; the operator names towns in the tokens file."
)
_SOME_TOWNS: Final = "Only records of this token's towns are searched; nothing is said of any other town."
_SIMPLIFIED: Final = (
    "Geometries that would take more than {most:,} bytes are simplified until they fit (geometry_detail)."
)

MAX_SHAPE_BYTES: Final = 4096
"""Twenty of them stay far below the longest answer, and within what a model can read."""


class Paging(TypedDict):
    """The members of an answer that say how far the list goes."""

    result_count: int
    total_count: int
    has_more: bool
    next_offset: int | UnsetType


def page_of(shown: int, total: int, offset: int) -> Paging:
    """Say how far the list goes beyond the `shown` rows at `offset`; past its end there is no more."""
    end = offset + shown
    has_more = end < total and shown > 0
    return Paging(
        result_count=shown,
        total_count=total,
        has_more=has_more,
        next_offset=end if has_more and end <= MAX_OFFSET else UNSET,
    )


def warn_of_audit(audit: Audit, kinds: Collection[Kind], scope: Scope) -> list[str]:
    """Say what keeps records of these tables out of the caller's answers."""
    warnings = [_NO_TOWNS] if scope.is_empty else []
    if count := audit.count_unusable(kinds, scope):
        records = "record has" if count == 1 else "records have"
        warnings.append(
            f"{count} {records} an empty or invalid geometry and cannot be found; results may be incomplete."
        )
    return warnings


def note_limits(scope: Scope, *, draws: bool) -> list[str]:
    """Say whose records are searched, and to who asked for geometry how it is bounded."""
    notes = [] if scope.all_towns or scope.is_empty else [_SOME_TOWNS]
    return [*notes, _SIMPLIFIED.format(most=MAX_SHAPE_BYTES)] if draws else notes


Shapes = Mapping[tuple[str, int], ShapeRow]
"""Outlines by table and id."""


def dress(rows: Sequence[Struct], dressed: type[Any], shapes: Shapes) -> list[Any]:
    """Make the rows that are shown, of type `dressed`, with the outlines that there are."""
    return [dressed(*msgspec.structs.astuple(row), **_outline(row, shapes)) for row in rows]


def _outline(row: Any, shapes: Shapes) -> dict[str, object]:
    shape = shapes.get((row.kind, row.id))
    if shape is None:
        return {}
    geometry = msgspec.json.decode(shape.shape, type=GeoJson)
    return {"geometry": geometry, "geometry_detail": shape.detail}
