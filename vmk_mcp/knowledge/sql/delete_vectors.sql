-- knowledge/delete_vectors: deletes vectors by chunk.
--
-- parameters
--   $1 generation   int8
--   $2 ids          int8[]
-- columns
--   done   bool
SELECT vmk_mcp.delete_knowledge_vectors($1::int8, $2::int8[]) AS done;
