-- knowledge/make_vectors: makes the table of a generation's vectors.
--
-- parameters
--   $1 generation   int8
--   $2 dimensions   int4
-- columns
--   done   bool
SELECT vmk_mcp.make_knowledge_vectors($1::int8, $2::int4) AS done;
