-- listings/list_indexes: indexes of the two tables as the live server has them.
--
-- columns
--   table_name    text
--   name          text
--   definition    text
SELECT
    i.tablename::text AS table_name,
    i.indexname::text AS name,
    i.indexdef AS definition
FROM pg_catalog.pg_indexes AS i
INNER JOIN pg_catalog.pg_class AS c ON i.tablename = c.relname
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid AND i.schemaname = n.nspname
WHERE c.oid IN (TO_REGCLASS('property_listings'), TO_REGCLASS('property_types'))
ORDER BY i.tablename, i.indexname;
