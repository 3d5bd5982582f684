-- knowledge/read_revision: a generation's revision; no row where it is gone.
--
-- parameters
--   $1 generation   int8
-- columns
--   revision   int8
SELECT g.revision
FROM vmk_mcp.knowledge_generations AS g
WHERE g.id = $1::int8;
