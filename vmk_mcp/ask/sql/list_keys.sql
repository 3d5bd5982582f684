-- ask/list_keys: primary and foreign keys of one schema's relations, with their columns in the key's order.
--
-- parameters
--   $1 schema_name   text
-- columns
--   relation         text
--   is_primary       bool
--   columns          text[]
--   referred         text     relation of the same schema that a foreign key names; null for a primary one
--   referred_columns text[]   null for a primary one
SELECT
    c.relname::text AS relation,
    (k.contype = 'p') AS is_primary,
    (
        SELECT ARRAY_AGG(a.attname::text ORDER BY u.place)
        FROM UNNEST(k.conkey) WITH ORDINALITY AS u (attnum, place)
        INNER JOIN pg_catalog.pg_attribute AS a ON k.conrelid = a.attrelid AND u.attnum = a.attnum
    ) AS columns,
    r.relname::text AS referred,
    (
        SELECT ARRAY_AGG(a.attname::text ORDER BY u.place)
        FROM UNNEST(k.confkey) WITH ORDINALITY AS u (attnum, place)
        INNER JOIN pg_catalog.pg_attribute AS a ON k.confrelid = a.attrelid AND u.attnum = a.attnum
    ) AS referred_columns
FROM pg_catalog.pg_constraint AS k
INNER JOIN pg_catalog.pg_class AS c ON k.conrelid = c.oid
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
LEFT JOIN pg_catalog.pg_class AS r ON k.confrelid = r.oid
WHERE
    n.nspname = $1::text
    AND (k.contype = 'p' OR (k.contype = 'f' AND r.relnamespace = c.relnamespace))
ORDER BY c.relname::text, k.conname::text;
