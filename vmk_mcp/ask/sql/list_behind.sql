-- ask/list_behind: relations that relations of one schema are made of: partitions, and what views read.
--
-- parameters
--   $1 schema_name   text
--   $2 relations     text[]   those that are open
-- columns
--   name             text
WITH RECURSIVE made_of (oid) AS (
    SELECT c.oid
    FROM pg_catalog.pg_class AS c
    INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
    WHERE n.nspname = $1::text AND c.relname = ANY($2::text[])
    UNION
    SELECT p.oid
    FROM made_of AS m
    CROSS JOIN LATERAL (
        SELECT i.inhrelid AS oid
        FROM pg_catalog.pg_inherits AS i
        WHERE i.inhparent = m.oid
        UNION ALL
        SELECT d.refobjid AS oid
        FROM pg_catalog.pg_rewrite AS w
        INNER JOIN pg_catalog.pg_depend AS d ON w.oid = d.objid
        WHERE
            w.ev_class = m.oid
            AND d.classid = 'pg_catalog.pg_rewrite'::regclass
            AND d.refclassid = 'pg_catalog.pg_class'::regclass
    ) AS p
)

SELECT DISTINCT c.relname::text AS name
FROM made_of AS m
INNER JOIN pg_catalog.pg_class AS c ON m.oid = c.oid
ORDER BY c.relname::text;
