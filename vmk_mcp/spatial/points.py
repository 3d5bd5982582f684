"""The given point: checked, converted, and a swapped pair told."""

from math import isfinite
from typing import Final

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.spatial.arguments import Place
from vmk_mcp.spatial.audit import Audit
from vmk_mcp.spatial.crs import is_shifted, to_wgs84
from vmk_mcp.spatial.results import Point
from vmk_mcp.spatial.scope import Scope

_EAST: Final = 180
_NORTH: Final = 90


def read_point(place: Place, audit: Audit, scope: Scope) -> Point:
    """Convert the given pair to WGS 84.

    Raises:
        InvalidArguments: it is no place on earth; the hint tells a swapped pair.
    """
    longitude, latitude = place.longitude, place.latitude
    for name, value, most in (("longitude", longitude, _EAST), ("latitude", latitude, _NORTH)):
        if not _is_within(value, most):
            raise InvalidArguments(
                f"{name.capitalize()} must be a number from -{most} to {most}, in degrees; {value:g} is not.",
                hint=_hint(place, audit, scope),
                field=name,
            )
    return Point(*to_wgs84(longitude, latitude, place.crs), given_crs=place.crs)


def warn_of_point(place: Place, audit: Audit, scope: Scope) -> list[str]:
    """Say where a pair that is a place on earth looks swapped, or read from another map than it was."""
    warnings = []
    longitude, latitude = place.longitude, place.latitude
    if not audit.holds(longitude, latitude, scope) and audit.holds(latitude, longitude, scope):
        warnings.append(
            f"Longitude and latitude look swapped: longitude {latitude:g}, latitude {longitude:g} lies in "
            "the county, the given point does not."
        )
    if place.crs in ("gcj02", "bd09") and not is_shifted(longitude, latitude):
        warnings.append(f"{place.crs} is a system of maps of China alone; the point was taken as WGS 84.")
    return warnings


def _hint(place: Place, audit: Audit, scope: Scope) -> str:
    longitude, latitude = place.latitude, place.longitude
    if not (_is_within(longitude, _EAST) and _is_within(latitude, _NORTH)):
        return "Give degrees, such as longitude 118.69 and latitude 25.36."
    where = ", which lies in the county" if audit.holds(longitude, latitude, scope) else ""
    return f"The pair looks swapped: try longitude {longitude:g}, latitude {latitude:g}{where}."


def _is_within(value: float, most: int) -> bool:
    return isfinite(value) and abs(value) <= most
