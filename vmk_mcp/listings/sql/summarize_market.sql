-- listings/summarize_market: prices of the listings that pass the filters, by group and currency.
--
-- A live table may lack a column. Inside each LATERAL subquery the bare column names mean the table's own
-- columns where it has them, and otherwise those of `absent`: null. The planner folds both away.
--
-- Spellings of one name (apostrophes, look-alike letters) are one group.
--
-- parameters
--   $1 deal_types                   text[]      any of these; null: no filter
--   $2 cities                       text[]      stored spellings; any of these
--   $3 districts                    text[]      stored spellings; any of these
--   $4 metro_stations               text[]      stored spellings; any of these
--   $5 building_types               text[]      any of these
--   $6 renovation_statuses          text[]      any of these
--   $7 property_type_ids            int4[]      any of these
--   $8 currency                     text        only listings in this currency
--   $9 price_currencies             text[]      up to four that a price bound reaches; null: no bound
--   $10 price_minima                numeric[]   lower bound in each of $9, in its own money
--   $11 price_maxima                numeric[]   upper bound in each of $9, in its own money
--   $12 rooms_counts                int4[]      any of these
--   $13 min_rooms                   int4        rooms
--   $14 max_rooms                   int4        rooms
--   $15 min_total_area              float8      square metres
--   $16 max_total_area              float8      square metres
--   $17 floors                      int4[]      any of these
--   $18 min_floor                   int4        floor
--   $19 max_floor                   int4        floor
--   $20 not_first_floor             bool        true: the floor is known and above the first
--   $21 not_last_floor              bool        true: the floor is known and below the last
--   $22 has_balcony                 bool        true: at least one; false: none known
--   $23 min_building_year           int4        year
--   $24 max_metro_distance_meters   int4        metres
--   $25 published_since             date        this day or later
--   $26 listing_statuses            text[]      any of these; null: any status
--   $27 near_latitude               float8      degrees, WGS 84 (EPSG:4326); null: no place
--   $28 near_longitude              float8      degrees, WGS 84 (EPSG:4326)
--   $29 near_radius_m               float8      metres on the sphere
--   $30 group_by                    text        a column, or property_type (its slug); null: one group
--   $31 most                        int4        groups
--   $32 spellings                   text[]      of names that are written in several ways
--   $33 spelled                     text[]      for each of them the name that its group has
-- columns
--   group_value                   text     null: not known, or one group
--   currency                      text     null: not known
--   listings                      int8
--   priced                        int8     listings that the price figures rest on
--   price_lower_quartile          float8
--   price_median                  float8
--   price_upper_quartile          float8
--   measured                      int8     listings that the figures per square metre rest on
--   price_per_m2_lower_quartile   float8
--   price_per_m2_median           float8
--   price_per_m2_upper_quartile   float8
--   groups                        int8     how many groups there are in all
--   total                         int8     listings in all of them
SELECT
    COALESCE(($33::text[])[ARRAY_POSITION($32::text[], g.value)], g.value) AS group_value,
    l.currency::text AS currency,
    COUNT(*) AS listings,
    COUNT(l.price) AS priced,
    ROUND(
        (PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY l.price::float8))::numeric, 2
    )::float8 AS price_lower_quartile,
    ROUND(
        (PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY l.price::float8))::numeric, 2
    )::float8 AS price_median,
    ROUND(
        (PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY l.price::float8))::numeric, 2
    )::float8 AS price_upper_quartile,
    COUNT(l.price / NULLIF(l.total_area, 0)::numeric) AS measured,
    ROUND(
        (PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY l.price::float8 / NULLIF(l.total_area, 0)))::numeric, 2
    )::float8 AS price_per_m2_lower_quartile,
    ROUND(
        (PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY l.price::float8 / NULLIF(l.total_area, 0)))::numeric, 2
    )::float8 AS price_per_m2_median,
    ROUND(
        (PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY l.price::float8 / NULLIF(l.total_area, 0)))::numeric, 2
    )::float8 AS price_per_m2_upper_quartile,
    COUNT(*) OVER () AS groups,
    SUM(COUNT(*)) OVER ()::int8 AS total
FROM (
    SELECT
        NULL::text AS deal_type,
        NULL::text AS city,
        NULL::text AS district,
        NULL::text AS metro_station,
        NULL::text AS building_type,
        NULL::text AS renovation_status,
        NULL::int4 AS property_type_id,
        NULL::text AS currency,
        NULL::numeric AS price,
        NULL::int4 AS rooms_count,
        NULL::float8 AS total_area,
        NULL::int4 AS floor,
        NULL::int4 AS floors_count,
        NULL::int4 AS balcony_count,
        NULL::int4 AS building_year,
        NULL::int4 AS metro_distance_meters,
        NULL::date AS publish_date,
        NULL::text AS listing_status,
        NULL::float8 AS latitude,
        NULL::float8 AS longitude
) AS absent
CROSS JOIN LATERAL (
    SELECT
        id,
        deal_type,
        city,
        district,
        metro_station,
        building_type,
        renovation_status,
        property_type_id,
        currency,
        price,
        rooms_count,
        total_area,
        floor,
        floors_count,
        balcony_count,
        building_year,
        metro_distance_meters,
        publish_date,
        listing_status,
        latitude,
        longitude
    FROM property_listings
) AS l
LEFT JOIN property_types AS t ON l.property_type_id = t.id
CROSS JOIN LATERAL (
    SELECT
        CASE $30::text
            WHEN 'city' THEN l.city::text
            WHEN 'district' THEN l.district::text
            WHEN 'rooms_count' THEN l.rooms_count::text
            WHEN 'building_type' THEN l.building_type::text
            WHEN 'property_type' THEN t.slug::text
            WHEN 'deal_type' THEN l.deal_type::text
            WHEN 'metro_station' THEN l.metro_station::text
        END AS value
) AS g
WHERE
    ($1::text[] IS NULL OR l.deal_type::text = ANY($1::text[]))
    AND ($2::text[] IS NULL OR l.city::text = ANY($2::text[]))
    AND ($3::text[] IS NULL OR l.district::text = ANY($3::text[]))
    AND ($4::text[] IS NULL OR l.metro_station::text = ANY($4::text[]))
    AND ($5::text[] IS NULL OR l.building_type::text = ANY($5::text[]))
    AND ($6::text[] IS NULL OR l.renovation_status::text = ANY($6::text[]))
    AND ($7::int4[] IS NULL OR l.property_type_id = ANY($7::int4[]))
    AND ($8::text IS NULL OR l.currency::text = $8::text)
    AND (
        $9::text[] IS NULL
        OR (
            l.currency::text = ($9::text[])[1]
            AND l.price >= ($10::numeric[])[1]
            AND l.price <= ($11::numeric[])[1]
        )
        OR (
            l.currency::text = ($9::text[])[2]
            AND l.price >= ($10::numeric[])[2]
            AND l.price <= ($11::numeric[])[2]
        )
        OR (
            l.currency::text = ($9::text[])[3]
            AND l.price >= ($10::numeric[])[3]
            AND l.price <= ($11::numeric[])[3]
        )
        OR (
            l.currency::text = ($9::text[])[4]
            AND l.price >= ($10::numeric[])[4]
            AND l.price <= ($11::numeric[])[4]
        )
    )
    AND ($12::int4[] IS NULL OR l.rooms_count = ANY($12::int4[]))
    AND ($13::int4 IS NULL OR l.rooms_count >= $13::int4)
    AND ($14::int4 IS NULL OR l.rooms_count <= $14::int4)
    AND ($15::float8 IS NULL OR l.total_area >= $15::float8)
    AND ($16::float8 IS NULL OR l.total_area <= $16::float8)
    AND ($17::int4[] IS NULL OR l.floor = ANY($17::int4[]))
    AND ($18::int4 IS NULL OR l.floor >= $18::int4)
    AND ($19::int4 IS NULL OR l.floor <= $19::int4)
    AND ($20::bool IS NOT TRUE OR l.floor > 1)
    AND ($21::bool IS NOT TRUE OR l.floor < l.floors_count)
    AND (
        $22::bool IS NULL
        OR ($22::bool AND l.balcony_count > 0)
        OR (NOT $22::bool AND COALESCE(l.balcony_count, 0) = 0)
    )
    AND ($23::int4 IS NULL OR l.building_year >= $23::int4)
    AND ($24::int4 IS NULL OR l.metro_distance_meters <= $24::int4)
    AND ($25::date IS NULL OR l.publish_date >= $25::date)
    AND ($26::text[] IS NULL OR l.listing_status::text = ANY($26::text[]))
    AND (
        $29::float8 IS NULL
        OR (
            l.latitude >= $27::float8 - $29::float8 / 111000.0
            AND l.latitude <= $27::float8 + $29::float8 / 111000.0
            AND 12742000.0 * ASIN(SQRT(LEAST(
                1.0,
                SIN(RADIANS(l.latitude - $27::float8) / 2.0) ^ 2
                + COS(RADIANS($27::float8)) * COS(RADIANS(l.latitude))
                * SIN(RADIANS(l.longitude - $28::float8) / 2.0) ^ 2
            ))) <= $29::float8
        )
    )
GROUP BY group_value, l.currency
ORDER BY listings DESC, group_value, currency
LIMIT $31::int4;
