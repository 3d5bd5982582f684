-- spatial/list_columns: columns of some tables of the schema public.
--
-- parameters
--   $1 tables   text[]   their names
-- columns
--   table_name    text
--   name          text
--   type          text   as the server writes it, without length or SRID
--   is_readable   bool   this login may read it
SELECT
    c.relname::text AS table_name,
    a.attname::text AS name,
    t.typname::text AS type,
    HAS_COLUMN_PRIVILEGE(c.oid, a.attnum, 'SELECT') AS is_readable
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_attribute AS a ON c.oid = a.attrelid
INNER JOIN pg_catalog.pg_type AS t ON a.atttypid = t.oid
WHERE
    c.relnamespace = TO_REGNAMESPACE('public')
    AND c.relname::text = ANY($1::text[])
    AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND a.attnum > 0
    AND NOT a.attisdropped
ORDER BY table_name, a.attnum;
