-- listings/list_values: distinct stored values of the columns that filters name, with their counts.
--
-- A live table may lack a column. Inside each LATERAL subquery the bare column names mean the table's own
-- columns where it has them, and otherwise those of `absent`: null. The planner folds both away.
--
-- columns
--   field      text   column
--   value      text   as stored
--   listings   int8
SELECT
    v.field,
    v.value,
    COUNT(*) AS listings
FROM (
    SELECT
        NULL::text AS deal_type,
        NULL::text AS city,
        NULL::text AS district,
        NULL::text AS metro_station,
        NULL::text AS building_type,
        NULL::text AS renovation_status,
        NULL::text AS currency,
        NULL::text AS listing_status
) AS absent
CROSS JOIN LATERAL (
    SELECT
        deal_type,
        city,
        district,
        metro_station,
        building_type,
        renovation_status,
        currency,
        listing_status
    FROM property_listings
) AS l
CROSS JOIN LATERAL (
    VALUES
    ('deal_type', l.deal_type::text),
    ('city', l.city::text),
    ('district', l.district::text),
    ('metro_station', l.metro_station::text),
    ('building_type', l.building_type::text),
    ('renovation_status', l.renovation_status::text),
    ('currency', l.currency::text),
    ('listing_status', l.listing_status::text)
) AS v (field, value)
WHERE v.value IS NOT NULL
GROUP BY v.field, v.value
ORDER BY v.field, listings DESC, v.value;
