"""What closes the family, what is only warned of, and how much of it each caller is told."""

import pytest
from msgspec.structs import replace

from tests.fake_spatial_store import FakeSpatialStore
from tests.fakes import FakeClock
from tests.spatial_rows import BANGTOU, ROWS, YOUYANG
from vmk_mcp.database.failures import translate
from vmk_mcp.errors import NotOffered, StoreUnavailable
from vmk_mcp.spatial.queries import Unusable
from vmk_mcp.spatial.scope import Scope
from vmk_mcp.spatial.standing import LiveAudit, audit
from vmk_mcp.spatial.tables import Kind
from vmk_mcp.tool import Caller, Readiness

EVERYWHERE = Scope(all_towns=True)
IN_BANGTOU = Scope(all_towns=False, towns=frozenset({BANGTOU}))
NOWHERE = Scope(all_towns=False)
LOOKOUTS: tuple[Kind, ...] = ("lookout",)
GRIDS = "st_2_fanghuowangge"


@pytest.fixture
def store() -> FakeSpatialStore:
    return FakeSpatialStore(ROWS)


async def faults_of(store: FakeSpatialStore) -> list[str]:
    return [str(fault) for fault in (await audit(store)).faults]


async def test_sound_tables_have_no_faults(store: FakeSpatialStore) -> None:
    found = await audit(store)
    assert found.faults == ()
    assert found.readiness() == Readiness("ok")
    found.require_open()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"srids": [4326, 4490]}, "SRID 4490 instead of 4326 (WGS 84)"),
        ({"srids": [0]}, "SRID 0 instead of 4326 (WGS 84)"),
        (
            {"types": ["GEOMETRYCOLLECTION", "MULTIPOLYGON"]},
            "geometry type GEOMETRYCOLLECTION instead of MULTIPOLYGON or POLYGON",
        ),
        ({"out_of_range": 3}, "coordinates beyond longitude 180 or latitude 90"),
    ],
)
async def test_geometry_that_is_not_as_it_must_be_closes_the_family(
    store: FakeSpatialStore, changes: dict[str, object], reason: str
) -> None:
    store.tables = [replace(one, **changes) if one.kind == "fire_grid" else one for one in store.tables]
    found = await audit(store)
    assert [str(fault) for fault in found.faults] == [f"{GRIDS} (fire_grid): {reason}"]
    assert found.readiness().status == "unavailable"
    assert found.readiness().reasons == (f"{GRIDS} (fire_grid): {reason}; no tool answers",)


async def test_the_caller_is_told_the_reason_without_the_name_in_the_database(
    store: FakeSpatialStore,
) -> None:
    store.tables = [replace(one, srids=[3857]) for one in store.tables if one.kind == "lookout"]
    found = await audit(store)
    with pytest.raises(NotOffered, match="lookout: SRID 3857 instead of 4326") as caught:
        found.require_open()
    assert "st_2_" not in caught.value.message
    assert found.readiness().told == ("lookout: SRID 3857 instead of 4326 (WGS 84); no tool answers",)


async def test_a_missing_table_closes_the_family_and_no_other_statement_is_tried(
    store: FakeSpatialStore,
) -> None:
    store.columns = [one for one in store.columns if one.table_name != GRIDS]
    assert await faults_of(store) == [f"{GRIDS} (fire_grid): no such table in the schema public"]
    assert "audit_tables" not in store.asked


async def test_missing_and_closed_columns_are_named(store: FakeSpatialStore) -> None:
    store.columns = [
        replace(one, is_readable=one.name != "bianhao")
        for one in store.columns
        if (one.table_name, one.name) != (GRIDS, "zhongdui")
    ]
    assert await faults_of(store) == [
        f"{GRIDS} (fire_grid): no column zhongdui",
        f"{GRIDS} (fire_grid): this login may not read bianhao",
    ]


async def test_geometry_of_another_type_of_column_closes_the_family(store: FakeSpatialStore) -> None:
    store.columns = [
        replace(one, type="text") if (one.table_name, one.name) == (GRIDS, "geom") else one
        for one in store.columns
    ]
    assert await faults_of(store) == [f"{GRIDS} (fire_grid): geom is of type text, not geometry"]


async def test_unusable_records_are_counted_within_the_callers_towns(store: FakeSpatialStore) -> None:
    store.tables = [replace(one, empty=2, invalid=3) for one in store.tables if one.kind == "lookout"]
    store.unusable = [
        Unusable("lookout", BANGTOU, "Self-intersection", 3, [1, 2, 3]),
        Unusable("lookout", None, "empty", 2, [4, 5]),
        Unusable("water_tank", YOUYANG, "empty", 7, [6]),
    ]
    found = await audit(store)
    assert found.count_unusable(LOOKOUTS, EVERYWHERE) == 5
    assert found.count_unusable(("lookout", "water_tank"), IN_BANGTOU) == 3
    assert found.count_unusable(("lookout", "water_tank"), NOWHERE) == 0
    ready = found.readiness()
    assert ready.status == "degraded"
    assert "st_2_fanghuoliaowangshao (lookout): 2 empty and 3 invalid geometries" in ready.reasons[0]
    assert ready.told is not None
    assert not any(character.isdigit() for character in ready.told[0])


async def test_towns_are_told_within_the_scope(store: FakeSpatialStore) -> None:
    found = await audit(store)
    assert found.list_towns(EVERYWHERE) == [BANGTOU, YOUYANG]
    assert found.list_towns(IN_BANGTOU) == [BANGTOU]
    assert found.list_towns(NOWHERE) == []
    assert found.holds(118.805, 25.505, EVERYWHERE)
    assert not found.holds(118.805, 25.505, IN_BANGTOU)
    assert not found.holds(118.71, 25.41, NOWHERE)


async def test_an_audit_is_made_once_and_again_when_it_is_old(store: FakeSpatialStore) -> None:
    clock = FakeClock()
    live = LiveAudit(store, clock=clock)
    first = await live.get()
    clock.advance(299)
    assert await live.get() is first
    clock.advance(2)
    assert await live.get() is first, "an old one serves on while the next is made"
    await live.close()
    assert store.asked.count("audit_tables") == 1
    assert await live.get_fresh() is first


async def test_a_closed_family_looks_again_soon_and_opens_by_itself(store: FakeSpatialStore) -> None:
    clock = FakeClock()
    live = LiveAudit(store, clock=clock)
    sound = store.tables
    store.tables = [replace(one, srids=[4490]) for one in sound]
    assert (await live.get()).faults
    store.tables = sound
    assert (await live.get()).faults, "not at every call"
    clock.advance(6)
    assert not (await live.get()).faults


async def test_a_store_that_is_down_at_first_is_looked_into_as_soon_as_it_is_back(
    store: FakeSpatialStore,
) -> None:
    live = LiveAudit(store, clock=FakeClock())
    store.failure = translate(ConnectionRefusedError())
    with pytest.raises(StoreUnavailable):
        await live.get()
    store.failure = None
    assert (await live.get()).tables


async def test_readiness_sees_a_store_that_went_away(store: FakeSpatialStore) -> None:
    live = LiveAudit(store, clock=FakeClock())
    await live.get()
    store.failure = translate(ConnectionRefusedError())
    with pytest.raises(StoreUnavailable):
        await live.get_fresh()


def test_a_scope_is_what_the_token_says_and_nothing_beside() -> None:
    assert Scope.of(Caller(name="a")).is_empty
    assert Scope.of(Caller(name="a", towns="all")).all_towns
    assert Scope.of(Caller(name="a", towns="榜头镇")).is_empty, "one text is no list of towns"
    assert Scope.of(Caller(name="a", towns=frozenset({BANGTOU}))) == IN_BANGTOU
    assert not IN_BANGTOU.has(None)
    assert EVERYWHERE.has(None)
