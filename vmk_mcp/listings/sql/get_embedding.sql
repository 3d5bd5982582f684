-- listings/get_embedding: the stored vector of one listing; no row where there is no such listing.
--
-- parameters
--   $1 listing_id   int8
-- columns
--   id          int8
--   embedding   vector   null: not embedded yet
SELECT
    l.id::int8 AS id,
    l.embedding
FROM property_listings AS l
WHERE l.id = $1::int8;
