-- knowledge/drop_vectors: drops the table of a generation's vectors, if there is one.
--
-- parameters
--   $1 generation   int8
-- columns
--   done   bool
SELECT vmk_mcp.drop_knowledge_vectors($1::int8) AS done;
