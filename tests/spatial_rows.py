"""A handful of made-up forest-fire records: points, boxes for areas, and straight passages."""

from typing import Any, Final

from msgspec import Struct

from vmk_mcp.spatial.tables import Kind


class Record(Struct, frozen=True, kw_only=True):
    """A record whose geometry is the box from `west`, `south` to `east`, `north`: a point where they are one.

    Of a passage the box's south-western corner is the start, and its north-eastern the end.

    Attributes:
        own: the table's own columns, by the names of its row struct.
    """

    kind: Kind
    id: int
    name: str | None
    town: str | None
    village: str | None = None
    west: float
    south: float
    east: float
    north: float
    own: dict[str, Any] = {}


def point(kind: Kind, id_: int, name: str, town: str | None, at: tuple[float, float], **own: Any) -> Record:
    """Give a point record."""
    return box(kind, id_, name, town, (*at, *at), **own)


def box(
    kind: Kind,
    id_: int,
    name: str | None,
    town: str | None,
    sides: tuple[float, float, float, float],
    **own: Any,
) -> Record:
    """Give a record with the sides west, south, east, north; `village` may be among `own`."""
    west, south, east, north = sides
    village = own.pop("village", None)
    return Record(
        kind=kind, id=id_, name=name, town=town, village=village,
        west=west, south=south, east=east, north=north, own=own,
    )  # fmt: skip


BANGTOU: Final = "榜头镇"
YOUYANG: Final = "游洋镇"

ROWS: Final = (
    box("fire_grid", 1, "坝下网格", BANGTOU, (118.70, 25.40, 118.72, 25.42), village="坝下村", code="BT-01",
        squadron="榜头镇半专业中队", area_ha=446.0),
    box("fire_grid", 2, "坝下小网格", BANGTOU, (118.71, 25.40, 118.72, 25.41), village="坝下村", code="BT-02",
        squadron="县专业中队", area_ha=111.0),
    box("fire_grid", 3, "龙山网格", YOUYANG, (118.72, 25.40, 118.74, 25.42), village="龙山村", code="YY-01",
        squadron="游洋镇半专业中队", area_ha=446.0),
    box("fire_grid", 4, "无名网格", YOUYANG, (118.80, 25.50, 118.81, 25.51), code="YY-02", squadron=None,
        area_ha=None),
    point("water_source", 1, "坝下水库", BANGTOU, (118.705, 25.405), village="坝下村", type="水库",
          capacity_m3=52_000.0),
    point("water_source", 2, "龙山溪", YOUYANG, (118.725, 25.405), village="龙山村", type="溪流",
          capacity_m3=None),
    point("water_tank", 1, "坝下蓄水池", BANGTOU, (118.706, 25.406), village="坝下村", type="蓄水池",
          capacity_m3=30.0),
    point("water_tank", 2, "龙山水罐", YOUYANG, (118.726, 25.406), village="龙山村", type="水罐",
          capacity_m3=10.0),
    point("check_station", 1, "坝下检查站", BANGTOU, (118.703, 25.403), village="坝下村"),
    point("lookout", 1, "龙山瞭望哨", YOUYANG, (118.730, 25.410), village="龙山村", elevation_m=612.0),
    box("fire_passage", 1, "坝下通道", BANGTOU, (118.701, 25.401, 118.709, 25.409), village="坝下村",
        type="防火道", width_m=3.5),
    box("fire_passage", 2, "龙山便道", YOUYANG, (118.721, 25.401, 118.729, 25.409), village="龙山村",
        type="便道", width_m=None),
    box("burial_ground", 1, "坝下墓地", BANGTOU, (118.707, 25.407, 118.708, 25.408), village="坝下村",
        area_ha=1.1),
    box("forest_works", 1, "龙山采石场", YOUYANG, (118.722, 25.402, 118.723, 25.403), village="龙山村",
        type="采石场"),
)  # fmt: skip
"""Bangtou lies west of Youyang; grids 1 and 3 share the edge at 118.72, grid 2 lies inside grid 1."""
