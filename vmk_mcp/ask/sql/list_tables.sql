-- ask/list_tables: relations of one schema of which the role that asks may read a column, by name.
--
-- parameters
--   $1 schema_name    text
-- columns
--   name              text
--   description       text   the comment on it; null: none
--   row_estimate      int8   by statistics, or by size where there are none yet; 0 for a view
SELECT
    c.relname::text AS name,
    pg_catalog.OBJ_DESCRIPTION(c.oid, 'pg_class') AS description,
    CASE
        WHEN c.relkind = 'v' THEN 0
        WHEN c.relkind = 'p' THEN (
            SELECT COALESCE(SUM(GREATEST(l.reltuples, 0)), 0)::int8
            FROM pg_catalog.PG_PARTITION_TREE(c.oid) AS t
            INNER JOIN pg_catalog.pg_class AS l ON t.relid = l.oid
            WHERE t.isleaf
        )
        WHEN c.reltuples < 0 THEN pg_catalog.PG_RELATION_SIZE(c.oid) / 100
        ELSE c.reltuples::int8
    END AS row_estimate
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE
    n.nspname = $1::text
    AND c.relkind IN ('r', 'p', 'v', 'm')
    AND pg_catalog.HAS_SCHEMA_PRIVILEGE(n.oid, 'USAGE')
    AND pg_catalog.HAS_ANY_COLUMN_PRIVILEGE(c.oid, 'SELECT')
ORDER BY c.relname::text;
