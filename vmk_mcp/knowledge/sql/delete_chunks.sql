-- knowledge/delete_chunks: deletes chunks; their vectors are deleted apart.
--
-- parameters
--   $1 ids   int8[]
-- columns
--   id   int8
DELETE FROM vmk_mcp.knowledge_chunks AS c
WHERE c.id = ANY($1::int8[])
RETURNING c.id;
