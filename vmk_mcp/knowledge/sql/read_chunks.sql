-- knowledge/read_chunks: chunks by id, those of one owner alone.
--
-- parameters
--   $1 generation   int8
--   $2 owner        int8     null: shared
--   $3 ids          int8[]
-- columns
--   id             int8
--   file_path      text
--   heading_path   text[]
--   text           text
--   start_line     int4
--   end_line       int4
SELECT
    c.id,
    f.path AS file_path,
    c.heading_path,
    c.text,
    c.start_line,
    c.end_line
FROM vmk_mcp.knowledge_chunks AS c
INNER JOIN vmk_mcp.knowledge_files AS f ON c.file_id = f.id
WHERE
    c.id = ANY($3::int8[])
    AND f.generation = $1::int8
    AND (f.owner = $2::int8 OR ($2::int8 IS NULL AND f.owner IS NULL));
