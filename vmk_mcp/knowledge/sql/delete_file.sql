-- knowledge/delete_file: deletes a file with its chunks; their vectors are deleted apart.
--
-- parameters
--   $1 id   int8
-- columns
--   id   int8
DELETE FROM vmk_mcp.knowledge_files AS f
WHERE f.id = $1::int8
RETURNING f.id;
