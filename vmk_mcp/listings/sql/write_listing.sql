-- listings/write_listing: writes one listing, or writes over the one of the same id.
--
-- parameters
--   $1 id                       int8
--   $2 title                    text
--   $3 description              text
--   $4 generated_description    text
--   $5 price                    numeric
--   $6 currency                 text
--   $7 deal_type                text
--   $8 property_type_id         int4
--   $9 city                     text
--   $10 district                text
--   $11 address_raw             text
--   $12 latitude                float8
--   $13 longitude               float8
--   $14 rooms_count             int4
--   $15 total_area              float8
--   $16 living_area             float8
--   $17 kitchen_area            float8
--   $18 floor                   int4
--   $19 floors_count            int4
--   $20 building_type           text
--   $21 building_year           int4
--   $22 renovation_status       text
--   $23 balcony_count           int4
--   $24 bathroom_type           text
--   $25 parking_type            text
--   $26 heating_type            text
--   $27 layout_type             text
--   $28 window_view             text
--   $29 metro_station           text
--   $30 metro_distance_type     text
--   $31 metro_distance_meters   int4
--   $32 url_source              text
--   $33 publish_date            date
--   $34 images_count            int4
--   $35 contact_phone           text
--   $36 contact_name            text
--   $37 listing_status          text
--   $38 archived_at             date
--   $39 raw_data_id             int8
--   $40 created_at              date
--   $41 updated_at              date
--   $42 embedding               vector    768 dimensions; null: not embedded yet
--   $43 configuration           text      name of the text search configuration
--   $44 title_words             text      normalised
--   $45 place_words             text      normalised
--   $46 body_words              text      normalised
-- columns
--   id   int8
INSERT INTO property_listings (
    id,
    title,
    description,
    generated_description,
    price,
    currency,
    deal_type,
    property_type_id,
    city,
    district,
    address_raw,
    latitude,
    longitude,
    rooms_count,
    total_area,
    living_area,
    kitchen_area,
    floor,
    floors_count,
    building_type,
    building_year,
    renovation_status,
    balcony_count,
    bathroom_type,
    parking_type,
    heating_type,
    layout_type,
    window_view,
    metro_station,
    metro_distance_type,
    metro_distance_meters,
    url_source,
    publish_date,
    images_count,
    contact_phone,
    contact_name,
    listing_status,
    archived_at,
    raw_data_id,
    created_at,
    updated_at,
    embedding,
    search_vector
)
VALUES (
    $1::int8,
    $2::text,
    $3::text,
    $4::text,
    $5::numeric,
    $6::text,
    $7::text,
    $8::int4,
    $9::text,
    $10::text,
    $11::text,
    $12::float8,
    $13::float8,
    $14::int4,
    $15::float8,
    $16::float8,
    $17::float8,
    $18::int4,
    $19::int4,
    $20::text,
    $21::int4,
    $22::text,
    $23::int4,
    $24::text,
    $25::text,
    $26::text,
    $27::text,
    $28::text,
    $29::text,
    $30::text,
    $31::int4,
    $32::text,
    $33::date,
    $34::int4,
    $35::text,
    $36::text,
    $37::text,
    $38::date,
    $39::int8,
    $40::date,
    $41::date,
    $42::vector,
    SETWEIGHT(TO_TSVECTOR(($43::text)::regconfig, $44::text), 'A')
    || SETWEIGHT(TO_TSVECTOR(($43::text)::regconfig, $45::text), 'B')
    || SETWEIGHT(TO_TSVECTOR(($43::text)::regconfig, $46::text), 'C')
)
ON CONFLICT (id) DO UPDATE
SET
    title = excluded.title,
    description = excluded.description,
    generated_description = excluded.generated_description,
    price = excluded.price,
    currency = excluded.currency,
    deal_type = excluded.deal_type,
    property_type_id = excluded.property_type_id,
    city = excluded.city,
    district = excluded.district,
    address_raw = excluded.address_raw,
    latitude = excluded.latitude,
    longitude = excluded.longitude,
    rooms_count = excluded.rooms_count,
    total_area = excluded.total_area,
    living_area = excluded.living_area,
    kitchen_area = excluded.kitchen_area,
    floor = excluded.floor,
    floors_count = excluded.floors_count,
    building_type = excluded.building_type,
    building_year = excluded.building_year,
    renovation_status = excluded.renovation_status,
    balcony_count = excluded.balcony_count,
    bathroom_type = excluded.bathroom_type,
    parking_type = excluded.parking_type,
    heating_type = excluded.heating_type,
    layout_type = excluded.layout_type,
    window_view = excluded.window_view,
    metro_station = excluded.metro_station,
    metro_distance_type = excluded.metro_distance_type,
    metro_distance_meters = excluded.metro_distance_meters,
    url_source = excluded.url_source,
    publish_date = excluded.publish_date,
    images_count = excluded.images_count,
    contact_phone = excluded.contact_phone,
    contact_name = excluded.contact_name,
    listing_status = excluded.listing_status,
    archived_at = excluded.archived_at,
    raw_data_id = excluded.raw_data_id,
    created_at = excluded.created_at,
    updated_at = excluded.updated_at,
    embedding = excluded.embedding,
    search_vector = excluded.search_vector
RETURNING property_listings.id;
