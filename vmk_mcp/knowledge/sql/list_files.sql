-- knowledge/list_files: all of an owner's files, by path.
--
-- parameters
--   $1 generation   int8
--   $2 owner        int8   null: shared
-- columns
--   id             int8
--   owner          int8   null: shared
--   path           text
--   content_hash   text
--   reason         text
--   chunks         int4
SELECT
    f.id,
    f.owner,
    f.path,
    f.content_hash,
    f.reason,
    f.chunks
FROM vmk_mcp.knowledge_files AS f
WHERE
    f.generation = $1::int8
    AND (f.owner = $2::int8 OR ($2::int8 IS NULL AND f.owner IS NULL))
ORDER BY f.path;
