-- knowledge/write_chunks: stores new chunks of a file.
--
-- parameters
--   $1 generation   int8
--   $2 file_id      int8
--   $3 drafts       text   JSON array of the chunks, with the columns' names
-- columns
--   id        int8
--   ordinal   int4
INSERT INTO vmk_mcp.knowledge_chunks AS c (
    generation, file_id, ordinal, text_hash, heading_path, text, start_line, end_line, tokens
)
SELECT
    $1::int8 AS generation,
    $2::int8 AS file_id,
    d.ordinal,
    d.text_hash,
    d.heading_path,
    d.text,
    d.start_line,
    d.end_line,
    d.tokens
FROM JSONB_TO_RECORDSET(($3::text)::jsonb) AS d (
    ordinal int4, text_hash text, heading_path text[], text text, start_line int4, end_line int4, tokens int4
)
ORDER BY d.ordinal
RETURNING
    c.id,
    c.ordinal;
