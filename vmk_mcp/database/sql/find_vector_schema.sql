-- database/find_vector_schema: where the extension `vector` lives; no row without it.
--
-- Reading an empty array of vectors makes the server load the extension's library. Until then it takes any
-- value for any `hnsw.*` setting, so that reading them back would say nothing.
--
-- columns
--   schema_name   text
--   loaded        text   an empty array
SELECT
    n.nspname::text AS schema_name,
    ARRAY_IN('{}', t.oid, -1)::text AS loaded
FROM pg_catalog.pg_extension AS e
INNER JOIN pg_catalog.pg_namespace AS n ON e.extnamespace = n.oid
INNER JOIN pg_catalog.pg_type AS t ON n.oid = t.typnamespace AND t.typname = 'vector'
WHERE e.extname = 'vector';
