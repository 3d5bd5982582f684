"""The made-up county: the same everywhere, of real towns, tiled without a gap, and with nobody real in it."""

import hashlib
from collections import Counter

import msgspec

from vmk_mcp.sample.county.land import Cell, list_towns, make_land
from vmk_mcp.sample.county.loading import EDITION
from vmk_mcp.sample.county.making import CLOSED_TOWN, COUNTY_SEED, OPEN_TOWNS, make_county
from vmk_mcp.sample.county.records import PHONE_PREFIX
from vmk_mcp.sample.county.shapes import Point, area_ha, is_inside

COUNTY = make_county()
LAND = make_land(COUNTY_SEED)

DIGEST = "4d01706ad3156409dc9b50ec2ec544985df31afdadd4098d648fd463ab5bf885"
"""Of the county that `EDITION` names: with another one, the edition is to be raised."""


def edges(ring: list[Point]) -> set[tuple[Point, Point]]:
    return set(zip(ring, [*ring[1:], ring[0]], strict=True))


def test_the_county_of_this_edition_is_the_same_on_every_machine() -> None:
    assert (EDITION, hashlib.sha256(msgspec.json.encode(COUNTY)).hexdigest()) == ("1/42", DIGEST)


def test_another_seed_makes_another_county() -> None:
    assert make_county(7) != COUNTY


def test_there_are_several_thousand_records_each_with_its_own_id() -> None:
    tables = [getattr(COUNTY, name) for name in COUNTY.__struct_fields__]
    assert 3_500 < sum(map(len, tables)) < 5_000
    for records in tables:
        assert [record.id for record in records] == list(range(1, len(records) + 1))


def test_every_town_has_grids_water_and_passages_and_none_is_made_up() -> None:
    towns = {town.name for town in list_towns()}
    assert len(towns) == 18
    for records in (COUNTY.fire_grids, COUNTY.water_sources, COUNTY.passages):
        assert {record.xiangzhen for record in records} == towns


def test_one_town_is_closed_and_all_others_are_open() -> None:
    assert {*OPEN_TOWNS, CLOSED_TOWN} == {town.name for town in list_towns()}
    assert CLOSED_TOWN not in OPEN_TOWNS


def test_each_cell_belongs_to_one_village_and_shares_whole_edges_with_its_neighbours() -> None:
    cells = Counter(cell for village in LAND.villages for cell in village.cells)
    assert set(cells.values()) == {1}
    for cell in cells:
        here = edges(LAND.trace(cell))
        for beside in ((cell[0] + 1, cell[1]), (cell[0], cell[1] + 1)):
            if beside in cells:
                shared = {(b, a) for a, b in here} & edges(LAND.trace(beside))
                assert len(shared) == 4


def test_two_cells_together_are_as_large_as_both_and_go_round_each() -> None:
    cell: Cell = LAND.villages[0].cells[0]
    beside = (cell[0] + 1, cell[1])
    pair = LAND.trace_pair(cell)
    assert abs(area_ha(pair) - area_ha(LAND.trace(cell)) - area_ha(LAND.trace(beside))) < 0.02
    assert is_inside(LAND.centre(cell), pair)
    assert is_inside(LAND.centre(beside), pair)


def test_a_village_lies_where_its_home_is() -> None:
    for village in LAND.villages:
        assert village.home in village.cells


def test_every_number_of_a_person_is_one_that_no_network_has() -> None:
    numbers = [grid.lianxidianhua for grid in COUNTY.fire_grids]
    numbers += [source.dianhua for source in COUNTY.water_sources]
    numbers += [station.dianhua for station in COUNTY.check_stations]
    assert all(number.startswith(PHONE_PREFIX) and len(number) == 11 for number in numbers)


def test_what_live_tables_leave_out_is_left_out_here_and_there() -> None:
    sources = COUNTY.water_sources
    assert 0 < sum(source.mingcheng is None for source in sources) < 50
    assert 0 < sum(source.cun is None for source in sources) < 100
    assert 100 < sum(source.rongliang_m3 is None for source in sources) < 700


def test_the_area_of_a_grid_is_that_of_its_ring() -> None:
    square = [(118.7, 25.4), (118.71, 25.4), (118.71, 25.41), (118.7, 25.41)]
    assert 110 < area_ha(square) < 113
    assert not is_inside((118.72, 25.405), square)
