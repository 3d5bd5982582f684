"""Coordinates of Chinese maps into WGS 84.

GCJ-02 shifts WGS 84 by some hundred metres inside China, by sines that were found out from outside and are
the same in all open sources (github.com/googollee/eviltransform, github.com/wandergis/coordtransform); its
ellipsoid is Krasovsky's of 1940. BD-09 turns and stretches GCJ-02 once more (the same sources). Neither has
an inverse on paper, so both are inverted by iteration. CGCS 2000 differs from WGS 84 by centimetres (both are
realisations of ITRF) and is taken for it.
"""

from collections.abc import Callable
from math import atan2, cos, hypot, pi, radians, sin, sqrt
from typing import Final, Literal

Crs = Literal["wgs84", "gcj02", "bd09", "cgcs2000"]
Degrees = tuple[float, float]
"""Longitude and latitude."""

_AXIS_M: Final = 6378245.0
_ECCENTRICITY_SQUARED: Final = 0.00669342162296594323

_CHINA_WEST, _CHINA_SOUTH, _CHINA_EAST, _CHINA_NORTH = 72.004, 0.8293, 137.8347, 55.8271
"""The rectangle in which GCJ-02 shifts; the same in all sources."""

_BAIDU_TURN: Final = pi * 3000 / 180
_CLOSE_ENOUGH: Final = 1e-10
"""Degrees, a hundredth of a millimetre."""

_MOST_ROUNDS: Final = 50
"""Each takes away all but a thousandth of the error, so that five do; bounded for what is no number."""


def is_shifted(longitude: float, latitude: float) -> bool:
    """Say whether Chinese maps shift a place: elsewhere their coordinates are those of WGS 84."""
    return _CHINA_WEST <= longitude <= _CHINA_EAST and _CHINA_SOUTH <= latitude <= _CHINA_NORTH


def to_wgs84(longitude: float, latitude: float, crs: Crs) -> Degrees:
    """Give the WGS 84 coordinates of a place given in `crs`, to a millimetre of what the formulas say.

    What lies outside China is given back as it is.
    """
    given = (longitude, latitude)
    if crs in ("wgs84", "cgcs2000") or not is_shifted(*given):
        return given
    chinese = _invert(gcj02_to_bd09, given) if crs == "bd09" else given
    return _invert(wgs84_to_gcj02, chinese)


def wgs84_to_gcj02(place: Degrees) -> Degrees:
    """Shift a place in China."""
    longitude, latitude = place
    x, y = longitude - 105.0, latitude - 35.0
    phi = radians(latitude)
    narrowing = 1 - _ECCENTRICITY_SQUARED * sin(phi) ** 2
    meridian_m = _AXIS_M * (1 - _ECCENTRICITY_SQUARED) / (narrowing * sqrt(narrowing))
    parallel_m = _AXIS_M / sqrt(narrowing) * cos(phi)
    return (
        longitude + _shift_east_m(x, y) * 180 / (parallel_m * pi),
        latitude + _shift_north_m(x, y) * 180 / (meridian_m * pi),
    )


def gcj02_to_bd09(place: Degrees) -> Degrees:
    """Turn and stretch as Baidu does."""
    x, y = place
    distance = hypot(x, y) + 0.00002 * sin(y * _BAIDU_TURN)
    angle = atan2(y, x) + 0.000003 * cos(x * _BAIDU_TURN)
    return distance * cos(angle) + 0.0065, distance * sin(angle) + 0.006


def _invert(shift: Callable[[Degrees], Degrees], wanted: Degrees) -> Degrees:
    """Find the place that `shift` moves to `wanted`: the shift hardly changes from one place to the next."""
    x, y = wanted
    for _ in range(_MOST_ROUNDS):
        shifted_x, shifted_y = shift((x, y))
        error_x, error_y = shifted_x - wanted[0], shifted_y - wanted[1]
        x, y = x - error_x, y - error_y
        if abs(error_x) < _CLOSE_ENOUGH and abs(error_y) < _CLOSE_ENOUGH:
            break
    return x, y


def _shift_east_m(x: float, y: float) -> float:
    shift = 300.0 + x + 2.0 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * sqrt(abs(x))
    return shift + _wave(x) + _waves(x, (20.0, 1), (40.0, 3)) + _waves(x, (150.0, 12), (300.0, 30))


def _shift_north_m(x: float, y: float) -> float:
    shift = -100.0 + 2.0 * x + 3.0 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * sqrt(abs(x))
    return shift + _wave(x) + _waves(y, (20.0, 1), (40.0, 3)) + _waves(y, (160.0, 12), (320.0, 30))


def _wave(x: float) -> float:
    return (20.0 * sin(6.0 * x * pi) + 20.0 * sin(2.0 * x * pi)) * 2.0 / 3.0


def _waves(value: float, *waves: tuple[float, int]) -> float:
    """Add sines of an amplitude and a divisor of half a turn a degree."""
    return sum(amplitude * sin(value / divisor * pi) for amplitude, divisor in waves) * 2.0 / 3.0
