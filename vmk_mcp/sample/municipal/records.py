"""One struct for each table of the municipal sample; fields are the columns, in their order."""

from datetime import date, datetime
from decimal import Decimal

from msgspec import Struct


class Neighborhood(Struct, frozen=True):
    """A row of `neighborhoods`."""

    name: str
    type: str
    ward: int
    population: int
    median_income: Decimal | None


class Department(Struct, frozen=True):
    """A row of `departments`."""

    department_id: int
    name: str
    type: str
    annual_budget: Decimal


class Inspector(Struct, frozen=True):
    """A row of `inspectors`."""

    inspector_id: int
    department_id: int
    name: str
    type: str
    hired_date: date
    is_active: bool


class Property(Struct, frozen=True):
    """A row of `properties`."""

    property_id: int
    address: str
    parcel_number: str
    neighborhood: str
    ward: int
    zoning: str
    property_type: str
    year_built: int | None
    lot_sqft: Decimal
    assessed_value: Decimal | None
    owner_name: str


class Contractor(Struct, frozen=True):
    """A row of `contractors`."""

    contractor_id: int
    name: str
    license_number: str
    trade: str
    phone: str
    email: str | None
    city: str
    state: str
    is_active: bool
    registered_date: date


class License(Struct, frozen=True):
    """A row of `licenses`."""

    license_id: int
    contractor_id: int
    license_type: str
    issued_date: date
    expires_date: date
    status: str


class Permit(Struct, frozen=True):
    """A row of `permits`; `details` is JSON text."""

    permit_id: int
    permit_number: str
    permit_type: str
    status: str
    property_id: int
    contractor_id: int | None
    applied_date: date
    issued_date: date | None
    expires_date: date | None
    final_date: date | None
    valuation: Decimal | None
    fee_total: Decimal
    description: str
    tags: tuple[str, ...]
    details: str
    created_at: datetime


class Inspection(Struct, frozen=True):
    """A row of `inspections`."""

    inspection_id: int
    permit_id: int
    inspector_id: int
    inspector_name: str
    inspection_type: str
    scheduled_date: date
    completed_date: date | None
    result: str | None
    notes: str | None


class Violation(Struct, frozen=True):
    """A row of `violations`."""

    violation_id: int
    property_id: int
    permit_id: int | None
    code: str
    description: str
    severity: str
    issued_date: date
    resolved_date: date | None
    fine_amount: Decimal | None
    status: str


class Payment(Struct, frozen=True):
    """A row of `payments`; it pays for a permit or for a violation."""

    payment_id: int
    permit_id: int | None
    violation_id: int | None
    amount: Decimal
    payment_date: datetime
    method: str
    status: str
    fee_type: str


class Complaint(Struct, frozen=True):
    """A row of `complaints`."""

    complaint_id: int
    property_id: int
    category: str
    received_date: datetime
    closed_date: datetime | None
    status: str
    priority: int
    description: str


class Hearing(Struct, frozen=True):
    """A row of `hearings`."""

    hearing_id: int
    violation_id: int
    type: str
    scheduled_at: datetime
    outcome: str | None
    fine_upheld: bool | None
