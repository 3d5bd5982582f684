"""Permits and the inspections of their work."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from random import Random
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.sample.municipal.chance import FIRST_DAY, LAST_DAY, draw_day, draw_later, draw_sum
from vmk_mcp.sample.municipal.records import Contractor, Inspection, Inspector, Permit, Property
from vmk_mcp.sample.municipal.words import read_words
from vmk_mcp.sample.realty.chance import draw_weighted, happens

_PERMITS: Final = 2_600
_INSPECTIONS: Final = 2_100
_VALID: Final = timedelta(days=365)

_TYPES: Final = {
    "building": 32, "electrical": 18, "plumbing": 15, "mechanical": 11, "roofing": 12, "demolition": 4,
    "sign": 4, "fire": 4,
}  # fmt: skip
_WORTH: Final = {
    "building": (8_000, 900_000),
    "electrical": (800, 60_000),
    "plumbing": (600, 45_000),
    "mechanical": (1_500, 70_000),
    "roofing": (4_000, 60_000),
    "demolition": (3_000, 120_000),
    "sign": (400, 15_000),
    "fire": (2_000, 90_000),
}
_TRADES_OF_TYPE: Final = {
    "building": "general",
    "sign": "general",
    "fire": "general",
}
"""Who does it, where the trade is not called like the type."""
_TAGS: Final = ("residential", "commercial", "historic", "expedited", "solar", "flood_zone", "owner_builder")
_STEPS: Final = {
    "building": ("foundation", "framing", "insulation", "final"),
    "electrical": ("rough_electrical", "final"),
    "plumbing": ("rough_plumbing", "final"),
    "mechanical": ("rough_mechanical", "final"),
    "roofing": ("roofing", "final"),
    "demolition": ("site", "final"),
    "sign": ("final",),
    "fire": ("fire_system", "final"),
}


class Course(Struct, frozen=True):
    """What became of an application."""

    status: str
    issued: date | None = None
    expires: date | None = None
    final: date | None = None


def make_permits(
    rng: Random, properties: Sequence[Property], contractors: Sequence[Contractor]
) -> list[Permit]:
    """Make the permits in the order of application; every contractor has some, the first ones most."""
    span = (LAST_DAY - FIRST_DAY).days
    days = sorted(FIRST_DAY + timedelta(days=rng.randint(0, span)) for _ in range(_PERMITS))
    return [
        _make_permit(rng, number, applied, rng.choice(properties), contractors)
        for number, applied in enumerate(days, 1)
    ]


def make_inspections(
    rng: Random, permits: Sequence[Permit], inspectors: Sequence[Inspector]
) -> list[Inspection]:
    """Make inspections of issued permits; some are still to come, some were called off."""
    inspected = sorted(
        rng.choices([permit for permit in permits if permit.issued_date], k=_INSPECTIONS),
        key=lambda permit: permit.permit_id,
    )
    return [
        _make_inspection(rng, number, permit, rng.choice(inspectors))
        for number, permit in enumerate(inspected, 1)
    ]


def _make_permit(
    rng: Random, number: int, applied: date, site: Property, contractors: Sequence[Contractor]
) -> Permit:
    kind = draw_weighted(rng, _TYPES)
    course = _draw_course(rng, applied)
    valuation = None if happens(rng, 0.03) else draw_sum(rng, *_WORTH[kind], 50)
    work = f"{rng.choice(read_words().works[kind])}, {rng.choice(read_words().sites)}"
    return Permit(
        permit_id=number,
        permit_number=f"P-{applied.year}-{number:05d}",
        permit_type=kind,
        status=course.status,
        property_id=site.property_id,
        contractor_id=_draw_contractor(rng, number, kind, contractors),
        applied_date=applied,
        issued_date=course.issued,
        expires_date=course.expires,
        final_date=course.final,
        valuation=valuation,
        fee_total=(Decimal(75) + (valuation or Decimal(0)) / 80).quantize(Decimal("0.01")),
        description=work,
        tags=tuple(rng.sample(_TAGS, rng.choice((0, 1, 1, 2)))),
        details=_write_details(rng),
        created_at=datetime.combine(applied, time(9, number % 60), tzinfo=UTC),
    )


def _draw_course(rng: Random, applied: date) -> Course:
    fate = draw_weighted(rng, {"denied": 5, "cancelled": 4, "finaled": 71, "issued": 20})
    if fate == "denied":
        return Course("denied")
    issued = draw_later(rng, applied, 2, 75)
    if issued is None:
        return Course(rng.choice(("applied", "under_review")))
    expires = issued + _VALID
    if fate == "cancelled":
        return Course("cancelled", issued, expires)
    final = draw_later(rng, issued, 20, 340) if fate == "finaled" else None
    if final is not None:
        return Course("finaled", issued, expires, final)
    return Course("expired" if expires < LAST_DAY else "issued", issued, expires)


def _draw_contractor(rng: Random, number: int, kind: str, contractors: Sequence[Contractor]) -> int | None:
    if number <= len(contractors):
        # Nobody stays without a permit, however rare the trade.
        return contractors[number - 1].contractor_id
    if happens(rng, 0.05):
        return None
    trade = _TRADES_OF_TYPE.get(kind, kind)
    weights = {
        one.contractor_id: (3.0 if one.trade == trade else 0.6) / (5 + place)
        for place, one in enumerate(contractors)
    }
    return draw_weighted(rng, weights)


def _write_details(rng: Random) -> str:
    details: dict[str, int] = {"stories": rng.randint(1, 4), "units": rng.choice((1, 1, 1, 2, 4, 12))}
    if happens(rng, 0.7):
        details["square_feet"] = rng.randint(4, 90) * 50
    return msgspec.json.encode(details).decode()


def _make_inspection(rng: Random, number: int, permit: Permit, inspector: Inspector) -> Inspection:
    scheduled = draw_day(rng, permit.issued_date or LAST_DAY, permit.final_date or LAST_DAY)
    result = draw_weighted(rng, {"pass": 66, "fail": 18, "partial": 9, "cancelled": 7})
    if LAST_DAY - scheduled < timedelta(days=14):
        result = ""
    was_held = result not in {"", "cancelled"}
    has_notes = was_held and (result != "pass" or happens(rng, 0.15))
    return Inspection(
        inspection_id=number,
        permit_id=permit.permit_id,
        inspector_id=inspector.inspector_id,
        inspector_name=inspector.name,
        inspection_type=rng.choice(_STEPS[permit.permit_type]),
        scheduled_date=scheduled,
        completed_date=draw_later(rng, scheduled, 0, 3) if was_held else None,
        result=result or None,
        notes=rng.choice(read_words().inspection_notes) if has_notes else None,
    )
