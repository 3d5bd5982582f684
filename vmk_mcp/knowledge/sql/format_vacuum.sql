-- knowledge/format_vacuum: the statement that frees the room of deleted rows; no row while they are few.
--
-- parameters
--   $1 generation   int8   whose vectors are meant
--   $2 dead         int8   rows that were deleted; null: it is due anyway
-- columns
--   statement   text
SELECT
    -- Not truncated, for which searches would have to wait, and skipped where the server is at it already.
    FORMAT(
        'VACUUM (SKIP_LOCKED, TRUNCATE FALSE) vmk_mcp.knowledge_files, vmk_mcp.knowledge_chunks, '
        'vmk_mcp.knowledge_touched, %s',
        vmk_mcp.knowledge_table($1::int8)
    ) AS statement
FROM pg_catalog.pg_class AS c
WHERE
    c.oid = TO_REGCLASS('vmk_mcp.knowledge_chunks')
    AND ($2::int8 IS NULL OR $2::int8 > 0.1 * c.reltuples);
