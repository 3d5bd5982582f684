-- knowledge/raise_revision: notes that a generation's files have changed; no row where it is gone.
--
-- parameters
--   $1 generation   int8
-- columns
--   revision   int8
UPDATE vmk_mcp.knowledge_generations AS g
SET revision = g.revision + 1
WHERE g.id = $1::int8
RETURNING g.revision;
