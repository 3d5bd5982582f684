-- listings/write_vectors: puts vectors to the listings that have not changed since their texts were read.
--
-- parameters
--   $1 ids          int8[]
--   $2 versions     text[]     as `find_unembedded` gave them, in the order of the ids
--   $3 numbers      float4[]   of all vectors, one vector after another, in the order of the ids
--   $4 dimensions   int4       of each vector
-- columns
--   id   int8
UPDATE property_listings AS l
SET embedding = (($3::float4[])[(v.place - 1) * $4::int4 + 1:v.place * $4::int4])::vector
FROM UNNEST($1::int8[], $2::text[]) WITH ORDINALITY AS v (id, version, place)
WHERE
    l.id = v.id
    AND l.xmin::text = v.version
RETURNING l.id::int8 AS id;
