-- listings/summarize_database: totals, freshness and price ranges, by deal type and currency.
--
-- A live table may lack a column: see `listings/find_by_filters`.
--
-- columns
--   deal_type       text   null: not known
--   currency        text   null: not known
--   listings        int8   active ones
--   lowest_price    float8
--   median_price    float8
--   highest_price   float8
--   newest          date   publish_date of the newest
SELECT
    l.deal_type::text AS deal_type,
    l.currency::text AS currency,
    COUNT(*) AS listings,
    MIN(l.price)::float8 AS lowest_price,
    PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY l.price::float8) AS median_price,
    MAX(l.price)::float8 AS highest_price,
    MAX(l.publish_date)::date AS newest
FROM (
    SELECT
        NULL::text AS deal_type,
        NULL::text AS currency,
        NULL::numeric AS price,
        NULL::date AS publish_date,
        'active'::text AS listing_status
) AS absent
CROSS JOIN LATERAL (
    SELECT
        deal_type,
        currency,
        price,
        publish_date,
        listing_status
    FROM property_listings
) AS l
WHERE l.listing_status = 'active'
GROUP BY l.deal_type, l.currency
ORDER BY listings DESC, deal_type, currency;
