-- knowledge/activate_generation: has a generation searched from now on; the one before must be deleted.
--
-- parameters
--   $1 generation   int8
-- columns
--   id   int8
UPDATE vmk_mcp.knowledge_generations AS g
SET state = 'active'
WHERE
    g.id = $1::int8
    AND g.state = 'building'
RETURNING g.id;
