-- knowledge/touch_file: has the generation that is being made look at a file again; no row without one.
--
-- parameters
--   $1 owner   int8   null: shared
--   $2 path    text
-- columns
--   generation   int8
INSERT INTO vmk_mcp.knowledge_touched AS t (generation, owner, path)
SELECT
    g.id,
    $1::int8 AS owner,
    $2::text AS path
FROM vmk_mcp.knowledge_generations AS g
WHERE g.state = 'building'
ON CONFLICT (generation, owner, path) DO UPDATE SET path = excluded.path
RETURNING t.generation;
