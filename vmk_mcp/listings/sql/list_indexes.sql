-- listings/list_indexes: indexes of the two tables as the live server has them.
--
-- columns
--   table_name    text
--   name          text
--   definition    text
--   is_valid      bool   false: its making broke off, and no statement uses it
SELECT
    i.tablename::text AS table_name,
    i.indexname::text AS name,
    i.indexdef AS definition,
    x.indisvalid AS is_valid
FROM pg_catalog.pg_indexes AS i
INNER JOIN pg_catalog.pg_class AS c ON i.tablename = c.relname
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid AND i.schemaname = n.nspname
INNER JOIN pg_catalog.pg_class AS d ON i.indexname = d.relname AND n.oid = d.relnamespace
INNER JOIN pg_catalog.pg_index AS x ON d.oid = x.indexrelid
WHERE c.oid IN (TO_REGCLASS('property_listings'), TO_REGCLASS('property_types'))
ORDER BY i.tablename, i.indexname;
