-- knowledge/list_vectors: ids of all chunks of a generation that have a vector, ascending.
--
-- parameters
--   $1 generation   int8
-- columns
--   id   int8
SELECT v.id
FROM vmk_mcp.list_knowledge_vectors($1::int8) AS v (id);
