"""The given point: checked, converted, and a swapped pair told."""

from math import isfinite
from typing import Final

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.spatial.arguments import Place
from vmk_mcp.spatial.audit import Audit
from vmk_mcp.spatial.crs import is_shifted, to_wgs84
from vmk_mcp.spatial.results import Point
from vmk_mcp.spatial.scope import Scope

MOST_DEGREES: Final = {"longitude": 180, "latitude": 90}
EXAMPLE: Final = "Give degrees, such as longitude 118.69 and latitude 25.36."


def read_point(place: Place, audit: Audit, scope: Scope) -> Point:
    """Convert the given pair to WGS 84.

    Raises:
        InvalidArguments: it is no place on earth; the hint tells a swapped pair.
    """
    longitude, latitude = place.longitude, place.latitude
    for name, value in (("longitude", longitude), ("latitude", latitude)):
        if not is_within(name, value):
            most = MOST_DEGREES[name]
            raise InvalidArguments(
                f"{name.capitalize()} must be a number from -{most} to {most}, in degrees; "
                f"{value:.15g} is not.",
                hint=_hint(place, audit, scope),
                field=name,
            )
    return Point(*to_wgs84(longitude, latitude, place.crs), given_crs=place.crs)


def is_within(name: str, value: float) -> bool:
    """Say whether `value` can be a longitude or a latitude."""
    return isfinite(value) and abs(value) <= MOST_DEGREES[name]


def warn_of_point(place: Place, audit: Audit, scope: Scope) -> list[str]:
    """Say where a pair that is a place on earth looks swapped, or read from another map than it was."""
    warnings = []
    longitude, latitude = place.longitude, place.latitude
    if not audit.holds(longitude, latitude, scope) and audit.holds(latitude, longitude, scope):
        warnings.append(
            f"Longitude and latitude look swapped: longitude {latitude:.15g}, latitude {longitude:.15g} lies "
            "in the county, the given point does not."
        )
    if place.crs in ("gcj02", "bd09") and not is_shifted(longitude, latitude):
        warnings.append(f"{place.crs} is a system of maps of China alone; the point was taken as WGS 84.")
    return warnings


def _hint(place: Place, audit: Audit, scope: Scope) -> str:
    longitude, latitude = place.latitude, place.longitude
    if not (is_within("longitude", longitude) and is_within("latitude", latitude)):
        return EXAMPLE
    where = ", which lies in the county" if audit.holds(longitude, latitude, scope) else ""
    return f"The pair looks swapped: try longitude {longitude:.15g}, latitude {latitude:.15g}{where}."
