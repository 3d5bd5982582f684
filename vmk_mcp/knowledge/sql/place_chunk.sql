-- knowledge/place_chunk: notes where in its file a chunk that has not changed stands now.
--
-- parameters
--   $1 id           int8
--   $2 ordinal      int4
--   $3 start_line   int4
--   $4 end_line     int4
-- columns
--   id   int8
UPDATE vmk_mcp.knowledge_chunks AS c
SET
    ordinal = $2::int4,
    start_line = $3::int4,
    end_line = $4::int4
WHERE
    c.id = $1::int8
    AND (c.ordinal, c.start_line, c.end_line) <> ($2::int4, $3::int4, $4::int4)
RETURNING c.id;
