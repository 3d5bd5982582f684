-- listings/list_listings: listings by their ids, whatever their status; those that exist.
--
-- A live table may lack a column. Inside each LATERAL subquery the bare column names mean the table's own
-- columns where it has them, and otherwise those of `absent`: null. The planner folds both away.
--
-- parameters
--   $1 listing_ids   int8[]
--   $2 contacts      bool    true: contact_phone and contact_name are shown
-- columns
--   id                      int8
--   title                   text
--   description             text
--   generated_description   text
--   price                   float8
--   currency                text
--   price_per_m2            float8
--   deal_type               text
--   property_type           text
--   city                    text
--   district                text
--   address_raw             text
--   rooms_count             int4
--   total_area              float8
--   living_area             float8
--   kitchen_area            float8
--   floor                   int4
--   floors_count            int4
--   building_type           text
--   building_year           int4
--   renovation_status       text
--   balcony_count           int4
--   bathroom_type           text
--   parking_type            text
--   heating_type            text
--   layout_type             text
--   window_view             text
--   metro_station           text
--   metro_distance_type     text
--   metro_distance_meters   int4
--   url_source              text
--   publish_date            date
--   images_count            int4
--   contact_phone           text
--   contact_name            text
--   listing_status          text
--   archived_at             date
--   created_at              date
--   updated_at              date
SELECT
    l.id,
    l.title::text AS title,
    l.description::text AS description,
    l.generated_description::text AS generated_description,
    l.price::float8 AS price,
    l.currency::text AS currency,
    ROUND(l.price::numeric / NULLIF(l.total_area, 0)::numeric, 2)::float8 AS price_per_m2,
    l.deal_type::text AS deal_type,
    t.name::text AS property_type,
    l.city::text AS city,
    l.district::text AS district,
    l.address_raw::text AS address_raw,
    l.rooms_count::int4 AS rooms_count,
    l.total_area::float8 AS total_area,
    l.living_area::float8 AS living_area,
    l.kitchen_area::float8 AS kitchen_area,
    l.floor::int4 AS floor,
    l.floors_count::int4 AS floors_count,
    l.building_type::text AS building_type,
    l.building_year::int4 AS building_year,
    l.renovation_status::text AS renovation_status,
    l.balcony_count::int4 AS balcony_count,
    l.bathroom_type::text AS bathroom_type,
    l.parking_type::text AS parking_type,
    l.heating_type::text AS heating_type,
    l.layout_type::text AS layout_type,
    l.window_view::text AS window_view,
    l.metro_station::text AS metro_station,
    l.metro_distance_type::text AS metro_distance_type,
    l.metro_distance_meters::int4 AS metro_distance_meters,
    l.url_source::text AS url_source,
    l.publish_date::date AS publish_date,
    l.images_count::int4 AS images_count,
    CASE WHEN $2::bool THEN l.contact_phone::text END AS contact_phone,
    CASE WHEN $2::bool THEN l.contact_name::text END AS contact_name,
    l.listing_status::text AS listing_status,
    l.archived_at::date AS archived_at,
    l.created_at::date AS created_at,
    l.updated_at::date AS updated_at
FROM (
    SELECT
        NULL::text AS title,
        NULL::text AS description,
        NULL::text AS generated_description,
        NULL::numeric AS price,
        NULL::text AS currency,
        NULL::text AS deal_type,
        NULL::int4 AS property_type_id,
        NULL::text AS city,
        NULL::text AS district,
        NULL::int4 AS rooms_count,
        NULL::float8 AS total_area,
        NULL::float8 AS living_area,
        NULL::float8 AS kitchen_area,
        NULL::int4 AS floor,
        NULL::int4 AS floors_count,
        NULL::text AS building_type,
        NULL::int4 AS building_year,
        NULL::text AS renovation_status,
        NULL::int4 AS balcony_count,
        NULL::text AS bathroom_type,
        NULL::text AS parking_type,
        NULL::text AS heating_type,
        NULL::text AS layout_type,
        NULL::text AS window_view,
        NULL::text AS metro_station,
        NULL::text AS metro_distance_type,
        NULL::int4 AS metro_distance_meters,
        NULL::text AS url_source,
        NULL::date AS publish_date,
        NULL::int4 AS images_count,
        NULL::text AS contact_phone,
        NULL::text AS listing_status,
        NULL::date AS archived_at,
        NULL::date AS created_at,
        NULL::date AS updated_at,
        NULL::text AS contact_name,
        NULL::text AS address_raw
) AS absent
CROSS JOIN LATERAL (
    SELECT
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
        listing_status,
        archived_at,
        created_at,
        updated_at,
        contact_name,
        address_raw
    FROM property_listings
    WHERE property_listings.id = ANY($1::int8[])
) AS l
LEFT JOIN property_types AS t ON l.property_type_id = t.id
ORDER BY l.id;
