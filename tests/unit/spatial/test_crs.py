"""Chinese coordinates: known pairs, the way back to the millimetre, and nothing moved outside China."""

from math import cos, hypot, radians
from random import Random
from typing import Final

import pytest

from vmk_mcp.spatial.crs import Crs, Degrees, gcj02_to_bd09, is_shifted, to_wgs84, wgs84_to_gcj02

BEIJING: Final = (116.404, 39.915)
METRES: Final = 111_320
"""Of a degree of latitude."""


def apart_m(one: Degrees, other: Degrees) -> float:
    """Give the metres between two places that are near each other."""
    return hypot((one[0] - other[0]) * cos(radians(one[1])), one[1] - other[1]) * METRES


def test_the_shift_is_that_of_the_published_sources() -> None:
    # The worked example of github.com/wandergis/coordtransform.
    assert wgs84_to_gcj02(BEIJING) == pytest.approx((116.41024449916938, 39.91640428150164), abs=1e-9)
    assert gcj02_to_bd09(BEIJING) == pytest.approx((116.41036949371029, 39.92133699351021), abs=1e-9)


@pytest.mark.parametrize("crs", ["gcj02", "bd09"])
def test_the_way_back_is_true_to_a_millimetre_all_over_china(crs: Crs) -> None:
    chance = Random(5)  # noqa: S311 - made-up points, no secret
    for _ in range(500):
        place = (chance.uniform(74, 134), chance.uniform(4, 53))
        shifted = wgs84_to_gcj02(place)
        given = gcj02_to_bd09(shifted) if crs == "bd09" else shifted
        assert apart_m(to_wgs84(*given, crs), place) < 0.001


def test_the_shift_in_xianyou_is_some_hundred_metres() -> None:
    assert 300 < apart_m(to_wgs84(118.69, 25.36, "gcj02"), (118.69, 25.36)) < 700


@pytest.mark.parametrize("crs", ["wgs84", "cgcs2000"])
def test_what_is_wgs_84_but_for_centimetres_is_kept(crs: Crs) -> None:
    assert to_wgs84(118.69, 25.36, crs) == (118.69, 25.36)


@pytest.mark.parametrize("place", [(30.52, 50.45), (-118.69, 25.36), (118.69, -25.36), (0.0, 0.0), (180, 90)])
@pytest.mark.parametrize("crs", ["gcj02", "bd09"])
def test_nothing_is_moved_outside_china(place: Degrees, crs: Crs) -> None:
    assert not is_shifted(*place)
    assert to_wgs84(*place, crs) == place


@pytest.mark.parametrize("place", [(72.004, 0.8293), (137.8347, 55.8271), (72.004, 55.8271), (105, 35)])
@pytest.mark.parametrize("crs", ["gcj02", "bd09"])
def test_the_corners_of_the_rectangle_come_to_rest(place: Degrees, crs: Crs) -> None:
    assert apart_m(to_wgs84(*place, crs), place) < 3000
