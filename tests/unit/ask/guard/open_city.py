"""The municipal schema as the guard is shown it, and the corpus that the guard is held to."""

from pathlib import Path
from typing import Final

import msgspec

from vmk_mcp.ask.guard import CheckedSelect, GuardLimits, check
from vmk_mcp.ask.model import OpenColumn, OpenSchema, OpenTable, Refusal

LIMITS: Final = GuardLimits()

_ROWS: Final = {
    "neighborhoods": 20,
    "departments": 8,
    "inspectors": 25,
    "properties": 1200,
    "contractors": 50,
    "licenses": 120,
    "permits": 2600,
    "inspections": 2200,
    "violations": 700,
    "payments": 1500,
    "complaints": 250,
    "hearings": 80,
}
_COLUMNS: Final = {
    "neighborhoods": ("name text, type text, ward integer, population integer, median_income numeric(12;2)"),
    "departments": ("department_id integer, name text, type text, annual_budget numeric(14;2)"),
    "inspectors": (
        "inspector_id integer, department_id integer, name text, type text, hired_date date, "
        "is_active boolean"
    ),
    "properties": (
        "property_id integer, address text, parcel_number text, neighborhood text, ward integer, "
        "zoning text, property_type text, year_built integer, lot_sqft numeric(10;2), "
        "assessed_value numeric(14;2), owner_name text"
    ),
    "contractors": (
        "contractor_id integer, name text, license_number text, trade text, phone text, email text, "
        "city text, state character(2), is_active boolean, registered_date date"
    ),
    "licenses": (
        "license_id integer, contractor_id integer, license_type text, issued_date date, "
        "expires_date date, status text"
    ),
    "permits": (
        "permit_id integer, permit_number text, permit_type text, status text, property_id integer, "
        "contractor_id integer, applied_date date, issued_date date, expires_date date, final_date "
        "date, valuation numeric(14;2), fee_total numeric(10;2), description text, tags text[], "
        "details jsonb, created_at timestamp with time zone"
    ),
    "inspections": (
        "inspection_id integer, permit_id integer, inspector_id integer, inspector_name text, "
        "inspection_type text, scheduled_date date, completed_date date, result text, notes text"
    ),
    "violations": (
        "violation_id integer, property_id integer, permit_id integer, code text, description text, "
        "severity text, issued_date date, resolved_date date, fine_amount numeric(10;2), status "
        "text"
    ),
    "payments": (
        "payment_id integer, permit_id integer, violation_id integer, amount numeric(10;2), "
        "payment_date timestamp with time zone, method text, status text, fee_type text"
    ),
    "complaints": (
        "complaint_id integer, property_id integer, category text, received_date timestamp with "
        "time zone, closed_date timestamp with time zone, status text, priority integer, "
        "description text"
    ),
    "hearings": (
        "hearing_id integer, violation_id integer, type text, scheduled_at timestamp with time "
        "zone, outcome text, fine_upheld boolean"
    ),
}


class Case(msgspec.Struct, frozen=True):
    """A statement of the corpus, by its kind."""

    kind: str
    sql: str


def _read_table(name: str, written: str) -> OpenTable:
    pairs = (column.partition(" ") for column in written.split(", "))
    columns = tuple(OpenColumn(column, kind.replace(";", ",")) for column, _, kind in pairs)
    return OpenTable(name, columns, primary_key=(columns[0].name,), row_estimate=_ROWS[name])


CITY: Final = OpenSchema("public", tuple(_read_table(name, written) for name, written in _COLUMNS.items()))


def close_columns(table: str, *closed: str) -> OpenSchema:
    """Give the schema with columns of one table closed."""
    tables = (
        msgspec.structs.replace(one, columns=tuple(c for c in one.columns if c.name not in closed))
        if one.name == table
        else one
        for one in CITY.tables
    )
    return OpenSchema("public", tuple(tables))


def read_cases(name: str) -> list[Case]:
    """Read `legitimate` or `attacks`."""
    return msgspec.json.decode((Path(__file__).parent / f"{name}.json").read_bytes(), type=list[Case])


def ask_guard(sql: str, schema: OpenSchema = CITY) -> CheckedSelect | Refusal:
    """Take a statement through the guard with the usual limits."""
    return check(sql, schema, LIMITS)


def code_of(sql: str, schema: OpenSchema = CITY) -> str:
    """Give the reason code of a refusal, or an empty text."""
    verdict = ask_guard(sql, schema)
    return verdict.code if isinstance(verdict, Refusal) else ""


def text_of(sql: str, schema: OpenSchema = CITY) -> str:
    """Give the regenerated text of a statement that must pass."""
    verdict = ask_guard(sql, schema)
    assert isinstance(verdict, CheckedSelect), verdict
    return verdict.sql
