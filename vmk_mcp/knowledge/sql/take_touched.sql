-- knowledge/take_touched: gives the files that changed while a generation was made, and forgets them.
--
-- parameters
--   $1 generation   int8
-- columns
--   owner   int8   null: shared
--   path    text
DELETE FROM vmk_mcp.knowledge_touched AS t
WHERE t.generation = $1::int8
RETURNING
    t.owner,
    t.path;
