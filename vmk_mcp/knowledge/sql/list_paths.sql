-- knowledge/list_paths: an owner's indexed files whose path, or whose name in its folder, begins like a text.
--
-- parameters
--   $1 generation   int8
--   $2 owner        int8   null: shared
--   $3 beginning    text
-- columns
--   path   text
SELECT f.path
FROM vmk_mcp.knowledge_files AS f
WHERE
    f.generation = $1::int8
    AND (f.owner = $2::int8 OR ($2::int8 IS NULL AND f.owner IS NULL))
    AND f.reason = ''
    AND (
        STARTS_WITH(LOWER(f.path), LOWER($3::text))
        OR STARTS_WITH(LOWER(REGEXP_REPLACE(f.path, '^.*/', '')), LOWER($3::text))
    )
ORDER BY f.path;
