-- sample/count_sample_listings: how many of the made-up listings the table holds.
--
-- Their addresses tell them from all others: each holds its own id, in a domain that is reserved for examples
-- (RFC 2606) and has no real listing.
--
-- columns
--   listings   int8
SELECT COUNT(*) AS listings
FROM property_listings AS l
WHERE l.url_source LIKE 'https://%.example.com/ogoloshennya/' || LPAD(l.id::text, 6, '0');
