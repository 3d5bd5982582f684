-- knowledge/find_exact: an owner's chunks nearest to a vector; every one of them is measured.
--
-- parameters
--   $1 generation   int8
--   $2 owner        int8     null: shared
--   $3 vector       vector
--   $4 limit        int4
-- columns
--   id      int8
--   score   float8   cosine
SELECT
    n.chunk_id AS id,
    1 - n.distance AS score
FROM vmk_mcp.find_knowledge_exact($1::int8, $2::int8, $3::vector, $4::int4) AS n
ORDER BY
    n.distance,
    n.chunk_id;
