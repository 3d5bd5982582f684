"""The eight tables: the words by which clients know them, and what the live ones must have."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

Kind = Literal[
    "fire_grid",
    "water_source",
    "water_tank",
    "check_station",
    "lookout",
    "fire_passage",
    "burial_ground",
    "forest_works",
]
WaterKind = Literal["water_source", "water_tank"]
PostKind = Literal["check_station", "lookout"]

POINT: Final = frozenset({"POINT"})
LINE: Final = frozenset({"LINESTRING", "MULTILINESTRING"})
AREA: Final = frozenset({"POLYGON", "MULTIPOLYGON"})

SRID: Final = 4326
"""WGS 84, longitude and latitude in degrees."""


class Table(Struct, frozen=True):
    """What a live table must be like.

    Attributes:
        name: in the database.
        types: the types of geometry that it may hold; with Z or without.
        columns: its own columns that are read, beside those of every table.
    """

    name: str
    types: frozenset[str]
    columns: tuple[str, ...] = ()


SHARED_COLUMNS: Final = ("id", "mingcheng", "xiangzhen", "cun", "geom")

TABLES: Final[Mapping[Kind, Table]] = {
    "fire_grid": Table("st_2_fanghuowangge", AREA, ("bianhao", "zhongdui", "mianji_gongqing")),
    "water_source": Table("st_2_mpslfh_t_slfh_syd", POINT, ("leixing", "rongliang_m3")),
    "water_tank": Table("st_2_xianyouxushuichiguan", POINT, ("leixing", "rongji_m3")),
    "check_station": Table("st_2_fanghuojianchazhan", POINT),
    "lookout": Table("st_2_fanghuoliaowangshao", POINT, ("haiba_m",)),
    "fire_passage": Table("st_2_xianyoufanghuotongdao", LINE, ("leixing", "kuandu_m")),
    "burial_ground": Table("st_2_mudifenqu_mian", AREA, ("mianji_gongqing",)),
    "forest_works": Table("st_2_linqugongkuangqiye", AREA, ("leixing",)),
}

EVERY_KIND: Final[tuple[Kind, ...]] = tuple(TABLES)
