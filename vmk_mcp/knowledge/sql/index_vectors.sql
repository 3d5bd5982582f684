-- knowledge/index_vectors: makes the index by nearness, after the vectors have come.
--
-- parameters
--   $1 generation   int8
--   $2 dimensions   int4
-- columns
--   done   bool
SELECT vmk_mcp.index_knowledge_vectors($1::int8, $2::int4) AS done;
