"""The made-up city: the same everywhere, of the promised size, and consistent in itself."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from vmk_mcp.sample.municipal.chance import FIRST_DAY, LAST_DAY
from vmk_mcp.sample.municipal.tables import make_tables

TABLES: Any = make_tables()
DIGEST = "f585a4f9e2b450569c60e963345626b597cb899754a13a236fcb9bffa5c1c088"


def known(table: str, column: str) -> set[object]:
    return {getattr(row, column) for row in TABLES[table]}


def test_the_city_is_the_same_on_every_machine_and_version() -> None:
    # A wanted change of the sample changes this digest.
    assert hashlib.sha256(msgspec.json.encode(TABLES)).hexdigest() == DIGEST


def test_another_seed_makes_another_city_of_the_same_size() -> None:
    other = make_tables(7)
    assert other != TABLES
    assert {name: len(rows) for name, rows in other.items()} == {
        name: len(rows) for name, rows in TABLES.items()
    }


def test_there_are_some_8_700_records_with_2_600_permits_and_50_contractors() -> None:
    assert 8_600 < sum(map(len, TABLES.values())) < 8_800
    assert (len(TABLES["permits"]), len(TABLES["contractors"]), len(TABLES)) == (2_600, 50, 12)


@pytest.mark.parametrize(
    ("table", "column", "named"),
    [
        ("properties", "neighborhood", "neighborhoods.name"),
        ("inspectors", "department_id", "departments.department_id"),
        ("licenses", "contractor_id", "contractors.contractor_id"),
        ("permits", "property_id", "properties.property_id"),
        ("permits", "contractor_id", "contractors.contractor_id"),
        ("inspections", "permit_id", "permits.permit_id"),
        ("inspections", "inspector_id", "inspectors.inspector_id"),
        ("violations", "property_id", "properties.property_id"),
        ("violations", "permit_id", "permits.permit_id"),
        ("payments", "permit_id", "permits.permit_id"),
        ("payments", "violation_id", "violations.violation_id"),
        ("complaints", "property_id", "properties.property_id"),
        ("hearings", "violation_id", "violations.violation_id"),
    ],
)
def test_every_key_names_a_row_that_is_there(table: str, column: str, named: str) -> None:
    assert known(table, column) - {None} <= known(*named.split("."))


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("neighborhoods", "name"),
        ("inspectors", "name"),
        ("contractors", "name"),
        ("contractors", "license_number"),
        ("permits", "permit_number"),
        ("properties", "parcel_number"),
    ],
)
def test_names_tell_rows_apart(table: str, column: str) -> None:
    assert len(known(table, column)) == len(TABLES[table])


def test_every_contractor_holds_permits_and_the_first_ones_hold_most() -> None:
    held = Counter(permit.contractor_id for permit in TABLES["permits"] if permit.contractor_id)
    assert set(held) == known("contractors", "contractor_id")
    assert [number for number, _ in held.most_common(3)] == [1, 2, 3]


def test_dates_lie_within_five_years_and_in_their_order() -> None:
    for permit in TABLES["permits"]:
        assert FIRST_DAY <= permit.applied_date <= LAST_DAY
        days = [permit.applied_date, permit.issued_date, permit.final_date]
        happened = [day for day in days if day]
        assert happened == sorted(happened)
        assert all(day <= LAST_DAY for day in happened)
    assert timedelta(days=5 * 365) == LAST_DAY - FIRST_DAY


def test_a_status_agrees_with_the_dates_beside_it() -> None:
    for permit in TABLES["permits"]:
        assert (permit.status == "finaled") == (permit.final_date is not None)
        assert (permit.status in {"applied", "under_review", "denied"}) == (permit.issued_date is None)
    for complaint in TABLES["complaints"]:
        assert (complaint.status == "closed") == (complaint.closed_date is not None)
    for violation in TABLES["violations"]:
        assert (violation.status in {"resolved", "dismissed"}) == (violation.resolved_date is not None)


def test_every_payment_is_for_a_permit_or_for_a_violation() -> None:
    for payment in TABLES["payments"]:
        assert (payment.permit_id is None) != (payment.violation_id is None)
        assert (payment.fee_type == "fine") == (payment.violation_id is not None)


def test_columns_that_may_be_unknown_are_unknown_in_some_rows_and_known_in_most() -> None:
    columns: Sequence[tuple[str, str]] = [
        ("neighborhoods", "median_income"),
        ("properties", "year_built"),
        ("contractors", "email"),
        ("permits", "contractor_id"),
        ("permits", "valuation"),
        ("violations", "fine_amount"),
        ("inspections", "result"),
    ]
    for table, column in columns:
        nulls = sum(getattr(row, column) is None for row in TABLES[table])
        assert 0 < nulls < len(TABLES[table]) / 3, (table, column)
