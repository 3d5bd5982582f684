"""What goes wrong and is paid for: complaints, violations, hearings and payments."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Final

import msgspec

from vmk_mcp.sample.municipal.chance import LAST_DAY, draw_day, draw_later, draw_moment, draw_sum
from vmk_mcp.sample.municipal.records import Complaint, Hearing, Payment, Permit, Property, Violation
from vmk_mcp.sample.municipal.words import read_words
from vmk_mcp.sample.realty.chance import draw_weighted, happens

_VIOLATIONS: Final = 700
_PAYMENTS: Final = 1_250
_COMPLAINTS: Final = 480
_HEARINGS: Final = 180
_SEVERITIES: Final = {"minor": 45, "moderate": 33, "major": 16, "critical": 6}
_FINES: Final = {
    "minor": (50, 300),
    "moderate": (250, 1_000),
    "major": (800, 4_000),
    "critical": (3_000, 15_000),
}
_METHODS: Final = {"card": 48, "online": 27, "check": 18, "cash": 7}


def make_violations(
    rng: Random, permits: Sequence[Permit], properties: Sequence[Property]
) -> list[Violation]:
    """Make the violations in the order of their days; some come of work under a permit, others do not."""
    days = sorted(draw_day(rng) for _ in range(_VIOLATIONS))
    made = []
    for number, day in enumerate(days, 1):
        permit = rng.choice(permits) if happens(rng, 0.45) else None
        earlier = permit if permit is not None and permit.applied_date <= day else None
        site = earlier.property_id if earlier else rng.choice(properties).property_id
        code, description = rng.choice(tuple(read_words().codes.items()))
        severity = draw_weighted(rng, _SEVERITIES)
        status = draw_weighted(rng, {"resolved": 58, "open": 27, "appealed": 9, "dismissed": 6})
        resolved = draw_later(rng, day, 5, 200) if status in {"resolved", "dismissed"} else None
        made.append(
            Violation(
                violation_id=number,
                property_id=site,
                permit_id=earlier.permit_id if earlier else None,
                code=code,
                description=description,
                severity=severity,
                issued_date=day,
                resolved_date=resolved,
                fine_amount=None if happens(rng, 0.08) else draw_sum(rng, *_FINES[severity], 25),
                status=status if resolved or status == "appealed" else "open",
            )
        )
    return made


def make_hearings(rng: Random, violations: Sequence[Violation]) -> list[Hearing]:
    """Make hearings over violations; those still to come have no outcome."""
    heard = sorted(rng.sample(violations, _HEARINGS), key=lambda one: one.violation_id)
    made = []
    for number, violation in enumerate(heard, 1):
        day = violation.issued_date + timedelta(days=rng.randint(20, 120))
        outcome = draw_weighted(rng, {"upheld": 45, "reduced": 25, "dismissed": 18, "continued": 12})
        is_over = day <= LAST_DAY
        made.append(
            Hearing(
                hearing_id=number,
                violation_id=violation.violation_id,
                type=draw_weighted(rng, {"appeal": 55, "show_cause": 30, "settlement": 15}),
                scheduled_at=draw_moment(rng, day),
                outcome=outcome if is_over else None,
                fine_upheld=outcome == "upheld" if is_over and outcome != "continued" else None,
            )
        )
    return made


def make_payments(rng: Random, permits: Sequence[Permit], violations: Sequence[Violation]) -> list[Payment]:
    """Make the payments in the order of their moments: three in four for permits, the others for fines."""
    fined = [violation for violation in violations if violation.fine_amount]
    payments = [
        _pay_fine(rng, rng.choice(fined)) if happens(rng, 0.25) else _pay_permit(rng, rng.choice(permits))
        for _ in range(_PAYMENTS)
    ]
    payments.sort(key=lambda payment: payment.payment_date)
    return [msgspec.structs.replace(payment, payment_id=number) for number, payment in enumerate(payments, 1)]


def make_complaints(rng: Random, properties: Sequence[Property]) -> list[Complaint]:
    """Make the complaints in the order in which they came in."""
    made = []
    for number, day in enumerate(sorted(draw_day(rng) for _ in range(_COMPLAINTS)), 1):
        category = rng.choice(tuple(read_words().complaints))
        closed = draw_later(rng, day, 1, 90) if happens(rng, 0.8) else None
        made.append(
            Complaint(
                complaint_id=number,
                property_id=rng.choice(properties).property_id,
                category=category,
                received_date=draw_moment(rng, day),
                closed_date=draw_moment(rng, closed) if closed else None,
                status="closed" if closed else rng.choice(("open", "investigating")),
                priority=rng.randint(1, 5),
                description=rng.choice(read_words().complaints[category]),
            )
        )
    return made


def _pay_permit(rng: Random, permit: Permit) -> Payment:
    fee = draw_weighted(rng, {"permit_fee": 60, "plan_review": 25, "inspection_fee": 15})
    share = {"permit_fee": Decimal(1), "plan_review": Decimal("0.25"), "inspection_fee": Decimal("0.1")}[fee]
    amount = (permit.fee_total * share).quantize(Decimal("0.01"))
    moment = draw_moment(rng, draw_later(rng, permit.applied_date, 0, 30) or LAST_DAY)
    return Payment(0, permit.permit_id, None, amount, moment, draw_weighted(rng, _METHODS), _state(rng), fee)


def _pay_fine(rng: Random, violation: Violation) -> Payment:
    moment = draw_moment(rng, draw_later(rng, violation.issued_date, 3, 150) or LAST_DAY)
    amount = violation.fine_amount or Decimal(0)
    method = draw_weighted(rng, _METHODS)
    return Payment(0, None, violation.violation_id, amount, moment, method, _state(rng), "fine")


def _state(rng: Random) -> str:
    return draw_weighted(rng, {"completed": 88, "pending": 6, "refunded": 3, "failed": 3})
