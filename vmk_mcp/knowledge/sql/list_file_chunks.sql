-- knowledge/list_file_chunks: a file's chunks, in order.
--
-- parameters
--   $1 id   int8   of the file
-- columns
--   id          int8
--   text_hash   text
SELECT
    c.id,
    c.text_hash
FROM vmk_mcp.knowledge_chunks AS c
WHERE c.file_id = $1::int8
ORDER BY
    c.ordinal,
    c.id;
