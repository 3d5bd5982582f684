-- knowledge/summarize_files: how many files and chunks an owner has.
--
-- parameters
--   $1 generation   int8
--   $2 owner        int8   null: shared
-- columns
--   files         int4
--   failed        int4
--   chunks        int4
--   last_change   timestamptz   null: no file
SELECT
    (COUNT(*) FILTER (WHERE f.reason = ''))::int4 AS files,
    (COUNT(*) FILTER (WHERE f.reason <> ''))::int4 AS failed,
    COALESCE(SUM(f.chunks), 0)::int4 AS chunks,
    MAX(f.changed_at) AS last_change
FROM vmk_mcp.knowledge_files AS f
WHERE
    f.generation = $1::int8
    AND (f.owner = $2::int8 OR ($2::int8 IS NULL AND f.owner IS NULL));
