-- knowledge/list_owners: the users who have files in a generation.
--
-- parameters
--   $1 generation   int8
-- columns
--   owner   int8
SELECT DISTINCT f.owner
FROM vmk_mcp.knowledge_files AS f
WHERE
    f.generation = $1::int8
    AND f.owner IS NOT NULL
ORDER BY f.owner;
