-- sample/remove_sample_listings: takes the made-up listings out of the table; see `count_sample_listings`.
--
-- columns
--   listings   int8
WITH removed AS (
    DELETE FROM property_listings AS l
    WHERE l.url_source LIKE 'https://%.example.com/ogoloshennya/' || LPAD(l.id::text, 6, '0')
    RETURNING l.id
)

SELECT COUNT(*) AS listings
FROM removed;
