-- knowledge/delete_generation: deletes a generation with its files and chunks; its vectors are dropped apart.
--
-- parameters
--   $1 generation   int8
-- columns
--   id   int8
DELETE FROM vmk_mcp.knowledge_generations AS g
WHERE g.id = $1::int8
RETURNING g.id;
