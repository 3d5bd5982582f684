-- listings/pick_embedded: a few listings with their vectors, to be embedded again and compared.
--
-- parameters
--   $1 limit   int4   rows
-- columns
--   id               int8
--   embedding        vector
SELECT
    l.id::int8 AS id,
    l.embedding
FROM property_listings AS l
WHERE l.embedding IS NOT NULL
ORDER BY l.id
LIMIT $1::int4;
