-- listings/clear_vectors: takes the vectors of all listings away, and says of how many.
--
-- columns
--   listings   int8
WITH cleared AS (
    UPDATE property_listings AS l
    SET embedding = NULL
    WHERE l.embedding IS NOT NULL
    RETURNING l.id
)

SELECT COUNT(*) AS listings
FROM cleared;
