-- listings/count_vectors: how many listings there are, and how many of them have a vector.
--
-- columns
--   listings   int8
--   filled     int8
SELECT
    COUNT(*) AS listings,
    COUNT(l.embedding) AS filled
FROM property_listings AS l;
