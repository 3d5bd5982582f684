-- The collector's two tables, as the seed describes them. They hold what a live collector writes, so there are
-- few checks: an unknown value is returned as it is and never refused.

CREATE EXTENSION vector;
CREATE EXTENSION pg_trgm;

SET LOCAL ROLE vmk_owner;

CREATE TABLE public.property_types (
    id integer PRIMARY KEY,
    slug varchar NOT NULL UNIQUE,
    name varchar NOT NULL,
    description text
);

CREATE TABLE public.property_listings (
    id bigint PRIMARY KEY,
    title text NOT NULL,
    description text,
    generated_description text,
    price numeric,
    currency varchar(3),
    deal_type varchar,
    property_type_id integer REFERENCES public.property_types (id),
    city varchar,
    district varchar,
    address_raw text,
    latitude double precision,
    longitude double precision,
    rooms_count integer,
    total_area double precision,
    living_area double precision,
    kitchen_area double precision,
    floor integer,
    floors_count integer,
    building_type varchar,
    building_year integer,
    renovation_status varchar,
    balcony_count integer,
    bathroom_type varchar,
    parking_type varchar,
    heating_type varchar,
    layout_type varchar,
    window_view varchar,
    metro_station varchar,
    metro_distance_type varchar,
    metro_distance_meters integer,
    url_source text,
    publish_date date,
    images_count integer,
    contact_phone varchar,
    contact_name varchar,
    listing_status varchar NOT NULL DEFAULT 'active',
    archived_at date,
    raw_data_id bigint,
    created_at date,
    updated_at date,
    embedding public.vector(768) STORAGE PLAIN,
    search_vector tsvector
)
-- A vector takes 3 KiB. Inline, an exact scan reads it with the row and not by two look-ups in a TOAST table;
-- then the row must not be pressed to the usual 2 KiB, or every title would go out of line: two rows a page.
WITH (toast_tuple_target = 4064);

COMMENT ON TABLE public.property_types IS 'Kinds of property';
COMMENT ON TABLE public.property_listings IS 'Real-estate listings';
COMMENT ON COLUMN public.property_listings.generated_description IS 'description written by a model';
COMMENT ON COLUMN public.property_listings.price IS 'in the currency of the row';
COMMENT ON COLUMN public.property_listings.address_raw IS 'address as the source wrote it';
COMMENT ON COLUMN public.property_listings.latitude IS 'degrees, WGS 84';
COMMENT ON COLUMN public.property_listings.longitude IS 'degrees, WGS 84';
COMMENT ON COLUMN public.property_listings.total_area IS 'square metres';
COMMENT ON COLUMN public.property_listings.living_area IS 'square metres';
COMMENT ON COLUMN public.property_listings.kitchen_area IS 'square metres';
COMMENT ON COLUMN public.property_listings.metro_distance_meters IS 'metres';
COMMENT ON COLUMN public.property_listings.embedding IS 'vector of the text, unit length';
COMMENT ON COLUMN public.property_listings.search_vector IS 'words of the text for full-text search';

-- Which model made the vectors: one row once there are any, and none of another model beside them.
CREATE TABLE vmk_mcp.embedding_model (
    is_the_only_row boolean PRIMARY KEY DEFAULT TRUE CHECK (is_the_only_row),
    model text NOT NULL,
    dimensions integer NOT NULL CHECK (dimensions BETWEEN 1 AND 768),
    recorded_at timestamptz NOT NULL DEFAULT now()
);

RESET ROLE;
