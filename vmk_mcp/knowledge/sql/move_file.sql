-- knowledge/move_file: gives a file another path; its chunks stay as they are.
--
-- parameters
--   $1 id     int8
--   $2 path   text
-- columns
--   id   int8
UPDATE vmk_mcp.knowledge_files AS f
SET
    path = $2::text,
    changed_at = NOW()
WHERE f.id = $1::int8
RETURNING f.id;
