-- database/find_vector_schema: where the extension `vector` lives; no row without it.
--
-- columns
--   schema_name   text
SELECT n.nspname::text AS schema_name
FROM pg_catalog.pg_extension AS e
INNER JOIN pg_catalog.pg_namespace AS n ON e.extnamespace = n.oid
WHERE e.extname = 'vector';
