-- The sample that questions in words are tried on: a city's permit office, twelve tables.
--
-- `status` and `type` stand in several tables on purpose, and keys go three tables deep
-- (payments -> violations -> properties -> neighborhoods).

SET LOCAL ROLE vmk_owner;

CREATE TABLE public.neighborhoods (
    name text PRIMARY KEY,
    type text,
    ward int,
    population int,
    median_income numeric(12, 2)
);

CREATE TABLE public.departments (
    department_id int PRIMARY KEY,
    name text NOT NULL,
    type text,
    annual_budget numeric(14, 2)
);

CREATE TABLE public.inspectors (
    inspector_id int PRIMARY KEY,
    department_id int REFERENCES public.departments,
    name text,
    type text,
    hired_date date,
    is_active boolean
);

CREATE TABLE public.properties (
    property_id int PRIMARY KEY,
    address text,
    parcel_number text,
    neighborhood text REFERENCES public.neighborhoods (name),
    ward int,
    zoning text,
    property_type text,
    year_built int,
    lot_sqft numeric(10, 2),
    assessed_value numeric(14, 2),
    owner_name text
);

CREATE TABLE public.contractors (
    contractor_id int PRIMARY KEY,
    name text,
    license_number text,
    trade text,
    phone text,
    email text,
    city text,
    -- squawk-ignore ban-char-field
    state char(2),
    is_active boolean,
    registered_date date
);

CREATE TABLE public.licenses (
    license_id int PRIMARY KEY,
    contractor_id int REFERENCES public.contractors,
    license_type text,
    issued_date date,
    expires_date date,
    status text
);

CREATE TABLE public.permits (
    permit_id int PRIMARY KEY,
    permit_number text UNIQUE,
    permit_type text,
    status text,
    property_id int REFERENCES public.properties,
    contractor_id int REFERENCES public.contractors,
    applied_date date,
    issued_date date,
    expires_date date,
    final_date date,
    valuation numeric(14, 2),
    fee_total numeric(10, 2),
    description text,
    tags text[],
    details jsonb,
    created_at timestamptz DEFAULT NOW()
);

CREATE TABLE public.inspections (
    inspection_id int PRIMARY KEY,
    permit_id int REFERENCES public.permits,
    inspector_id int REFERENCES public.inspectors,
    inspector_name text,
    inspection_type text,
    scheduled_date date,
    completed_date date,
    result text,
    notes text
);

CREATE TABLE public.violations (
    violation_id int PRIMARY KEY,
    property_id int REFERENCES public.properties,
    permit_id int REFERENCES public.permits,
    code text,
    description text,
    severity text,
    issued_date date,
    resolved_date date,
    fine_amount numeric(10, 2),
    status text
);

CREATE TABLE public.payments (
    payment_id int PRIMARY KEY,
    permit_id int REFERENCES public.permits,
    violation_id int REFERENCES public.violations,
    amount numeric(10, 2),
    payment_date timestamptz,
    method text,
    status text,
    fee_type text
);

CREATE TABLE public.complaints (
    complaint_id int PRIMARY KEY,
    property_id int REFERENCES public.properties,
    category text,
    received_date timestamptz,
    closed_date timestamptz,
    status text,
    priority int,
    description text
);

CREATE TABLE public.hearings (
    hearing_id int PRIMARY KEY,
    violation_id int REFERENCES public.violations,
    type text,
    scheduled_at timestamptz,
    outcome text,
    fine_upheld boolean
);

COMMENT ON TABLE public.permits IS 'Permits to build, wire, plumb, demolish and the like';
COMMENT ON COLUMN public.neighborhoods.median_income IS 'of a household, US dollars a year';
COMMENT ON COLUMN public.departments.annual_budget IS 'US dollars';
COMMENT ON COLUMN public.properties.lot_sqft IS 'square feet';
COMMENT ON COLUMN public.properties.assessed_value IS 'US dollars';
COMMENT ON COLUMN public.permits.valuation IS 'what the work is worth, US dollars';
COMMENT ON COLUMN public.permits.fee_total IS 'US dollars';
COMMENT ON COLUMN public.permits.final_date IS 'when the work was found finished';
COMMENT ON COLUMN public.permits.details IS 'stories, units and square_feet of the building';
COMMENT ON COLUMN public.inspections.result IS 'null: not held yet';
COMMENT ON COLUMN public.violations.fine_amount IS 'US dollars';
COMMENT ON COLUMN public.payments.amount IS 'US dollars';
COMMENT ON COLUMN public.complaints.priority IS '1 is the most urgent, 5 the least';

RESET ROLE;
