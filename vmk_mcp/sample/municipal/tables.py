"""All tables of the municipal sample, in an order in which keys find what they name."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from msgspec import Struct

from vmk_mcp.sample.municipal.cases import make_complaints, make_hearings, make_payments, make_violations
from vmk_mcp.sample.municipal.city import (
    make_departments,
    make_inspectors,
    make_neighborhoods,
    make_properties,
)
from vmk_mcp.sample.municipal.firms import make_contractors, make_licenses
from vmk_mcp.sample.municipal.permits import make_inspections, make_permits

MUNICIPAL_SEED: Final = 42


def make_tables(seed: int = MUNICIPAL_SEED) -> Mapping[str, Sequence[Struct]]:
    """Make all rows by table: some 8,700, of them 2,600 permits; the same for the same seed.

    Each table draws from chances of its own, so that a change of one leaves the others as they are.
    """
    neighborhoods = make_neighborhoods(_chances(seed, "neighborhoods"))
    departments = make_departments(_chances(seed, "departments"))
    inspectors = make_inspectors(_chances(seed, "inspectors"), departments)
    properties = make_properties(_chances(seed, "properties"), neighborhoods)
    contractors = make_contractors(_chances(seed, "contractors"))
    permits = make_permits(_chances(seed, "permits"), properties, contractors)
    violations = make_violations(_chances(seed, "violations"), permits, properties)
    return {
        "neighborhoods": neighborhoods,
        "departments": departments,
        "inspectors": inspectors,
        "properties": properties,
        "contractors": contractors,
        "licenses": make_licenses(_chances(seed, "licenses"), contractors),
        "permits": permits,
        "inspections": make_inspections(_chances(seed, "inspections"), permits, inspectors),
        "violations": violations,
        "payments": make_payments(_chances(seed, "payments"), permits, violations),
        "complaints": make_complaints(_chances(seed, "complaints"), properties),
        "hearings": make_hearings(_chances(seed, "hearings"), violations),
    }


def _chances(seed: int, table: str) -> Random:
    return Random(f"{seed}/{table}")  # noqa: S311 -- made-up data, no secret
