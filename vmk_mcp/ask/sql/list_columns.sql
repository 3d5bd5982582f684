-- ask/list_columns: columns of one schema's relations that the role which asks may read, in their order.
--
-- parameters
--   $1 schema_name   text
-- columns
--   relation         text
--   name             text
--   type             text   as format_type writes it
--   description      text   the comment on it; null: none
--   holds_words      bool   texts and enumerations, whose values may be words of a question
SELECT
    c.relname::text AS relation,
    a.attname::text AS name,
    pg_catalog.FORMAT_TYPE(a.atttypid, a.atttypmod) AS type,
    pg_catalog.COL_DESCRIPTION(c.oid, a.attnum) AS description,
    (t.typcategory IN ('S', 'E')) AS holds_words
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
INNER JOIN pg_catalog.pg_attribute AS a ON c.oid = a.attrelid
INNER JOIN pg_catalog.pg_type AS t ON a.atttypid = t.oid
WHERE
    n.nspname = $1::text
    AND c.relkind IN ('r', 'p', 'v', 'm')
    AND a.attnum > 0
    AND NOT a.attisdropped
    AND pg_catalog.HAS_SCHEMA_PRIVILEGE(n.oid, 'USAGE')
    AND pg_catalog.HAS_COLUMN_PRIVILEGE(c.oid, a.attnum, 'SELECT')
ORDER BY c.relname::text, a.attnum;
