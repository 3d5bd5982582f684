"""The county's records as they are written: a struct for each table, its fields the table's columns.

Geometry is extended well-known text; `geom` is None where a live table has none. Names of people and their
numbers are made up, so that tests can look for them where they must not be: every number begins with
`PHONE_PREFIX`, which no network has.
"""

from typing import Final

from msgspec import Struct

PHONE_PREFIX: Final = "1200594"


class PlaceRecord(Struct, frozen=True, kw_only=True):
    """What all records have: `mingcheng` is the name, `xiangzhen` the town, `cun` the village."""

    id: int
    mingcheng: str | None
    xiangzhen: str
    cun: str | None
    geom: str | None


class FireGrid(PlaceRecord, frozen=True, kw_only=True):
    """A row of `st_2_fanghuowangge`."""

    bianhao: str
    zhongdui: str
    mianji_gongqing: float
    wanggeyuan: str
    lianxidianhua: str


class WaterSource(PlaceRecord, frozen=True, kw_only=True):
    """A row of `st_2_mpslfh_t_slfh_syd`."""

    leixing: str
    rongliang_m3: float | None
    zerenren: str
    dianhua: str


class WaterTank(PlaceRecord, frozen=True, kw_only=True):
    """A row of `st_2_xianyouxushuichiguan`."""

    leixing: str
    rongji_m3: float | None


class CheckStation(PlaceRecord, frozen=True, kw_only=True):
    """A row of `st_2_fanghuojianchazhan`."""

    zhibanrenyuan: str
    dianhua: str


class Lookout(PlaceRecord, frozen=True, kw_only=True):
    """A row of `st_2_fanghuoliaowangshao`."""

    haiba_m: float | None


class Passage(PlaceRecord, frozen=True, kw_only=True):
    """A row of `st_2_xianyoufanghuotongdao`."""

    leixing: str
    kuandu_m: float | None


class BurialGround(PlaceRecord, frozen=True, kw_only=True):
    """A row of `st_2_mudifenqu_mian`."""

    mianji_gongqing: float | None


class Works(PlaceRecord, frozen=True, kw_only=True):
    """A row of `st_2_linqugongkuangqiye`."""

    leixing: str


class County(Struct, frozen=True, kw_only=True):
    """All records, each table's in the order of their ids."""

    fire_grids: list[FireGrid]
    water_sources: list[WaterSource]
    water_tanks: list[WaterTank]
    check_stations: list[CheckStation]
    lookouts: list[Lookout]
    passages: list[Passage]
    burial_grounds: list[BurialGround]
    works: list[Works]
