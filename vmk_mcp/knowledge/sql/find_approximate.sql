-- knowledge/find_approximate: shared chunks nearest to a vector, by the index.
--
-- parameters
--   $1 generation   int8
--   $2 vector       vector
--   $3 limit        int4
-- columns
--   id      int8
--   score   float8   cosine
SELECT
    n.chunk_id AS id,
    1 - n.distance AS score
FROM vmk_mcp.find_knowledge_approximate($1::int8, $2::vector, $3::int4) AS n
ORDER BY
    n.distance,
    n.chunk_id;
