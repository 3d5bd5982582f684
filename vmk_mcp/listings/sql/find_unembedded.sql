-- listings/find_unembedded: what the vectors of some listings are made of, by id.
--
-- Any column that texts are made of may be missing: see `list_values`.
--
-- parameters
--   $1 after_id          int8   listings of larger ids
--   $2 includes_filled   bool   those too that have a vector
--   $3 limit             int4   rows
-- columns
--   id                      int8
--   version                 text   changes with every write of the row
--   title                   text
--   description             text
--   generated_description   text
--   deal_type               text
--   property_type_id        int4
--   city                    text
--   district                text
--   address_raw             text
--   rooms_count             int4
--   total_area              float8
--   floor                   int4
--   floors_count            int4
--   building_type           text
--   building_year           int4
--   renovation_status       text
--   parking_type            text
--   heating_type            text
--   layout_type             text
--   window_view             text
--   metro_station           text
--   metro_distance_meters   int4
SELECT
    l.id::int8 AS id,
    l.version,
    l.title::text AS title,
    l.description::text AS description,
    l.generated_description::text AS generated_description,
    l.deal_type::text AS deal_type,
    l.property_type_id::int4 AS property_type_id,
    l.city::text AS city,
    l.district::text AS district,
    l.address_raw::text AS address_raw,
    l.rooms_count::int4 AS rooms_count,
    l.total_area::float8 AS total_area,
    l.floor::int4 AS floor,
    l.floors_count::int4 AS floors_count,
    l.building_type::text AS building_type,
    l.building_year::int4 AS building_year,
    l.renovation_status::text AS renovation_status,
    l.parking_type::text AS parking_type,
    l.heating_type::text AS heating_type,
    l.layout_type::text AS layout_type,
    l.window_view::text AS window_view,
    l.metro_station::text AS metro_station,
    l.metro_distance_meters::int4 AS metro_distance_meters
FROM (
    SELECT
        NULL::text AS title,
        NULL::text AS description,
        NULL::text AS generated_description,
        NULL::text AS deal_type,
        NULL::int4 AS property_type_id,
        NULL::text AS city,
        NULL::text AS district,
        NULL::text AS address_raw,
        NULL::int4 AS rooms_count,
        NULL::float8 AS total_area,
        NULL::int4 AS floor,
        NULL::int4 AS floors_count,
        NULL::text AS building_type,
        NULL::int4 AS building_year,
        NULL::text AS renovation_status,
        NULL::text AS parking_type,
        NULL::text AS heating_type,
        NULL::text AS layout_type,
        NULL::text AS window_view,
        NULL::text AS metro_station,
        NULL::int4 AS metro_distance_meters
) AS absent
CROSS JOIN LATERAL (
    SELECT
        id,
        property_listings.xmin::text AS version,
        title,
        description,
        generated_description,
        deal_type,
        property_type_id,
        city,
        district,
        address_raw,
        rooms_count,
        total_area,
        floor,
        floors_count,
        building_type,
        building_year,
        renovation_status,
        parking_type,
        heating_type,
        layout_type,
        window_view,
        metro_station,
        metro_distance_meters
    FROM property_listings
    WHERE
        property_listings.id > $1::int8
        AND ($2::bool OR property_listings.embedding IS NULL)
    ORDER BY property_listings.id
    LIMIT $3::int4
) AS l
ORDER BY l.id;
