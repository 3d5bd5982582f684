-- listings/list_columns: columns of the two tables as the live server has them.
--
-- columns
--   table_name    text
--   name          text
--   type          text
--   description   text   null: no comment
SELECT
    c.relname::text AS table_name,
    a.attname::text AS name,
    FORMAT_TYPE(a.atttypid, a.atttypmod) AS type,
    COL_DESCRIPTION(c.oid, a.attnum) AS description
FROM pg_catalog.pg_attribute AS a
INNER JOIN pg_catalog.pg_class AS c ON a.attrelid = c.oid
WHERE
    c.oid IN (TO_REGCLASS('property_listings'), TO_REGCLASS('property_types'))
    AND a.attnum > 0
    AND NOT a.attisdropped
ORDER BY c.relname, a.attnum;
