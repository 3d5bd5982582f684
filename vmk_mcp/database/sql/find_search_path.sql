-- database/find_search_path: a search path, and behind it where extensions live that searches need.
--
-- parameters
--   $1 path   text   as it is wanted without them
-- columns
--   path      text
SELECT CONCAT_WS(', ', $1::text, STRING_AGG(DISTINCT QUOTE_IDENT(n.nspname), ', ')) AS path
FROM pg_catalog.pg_extension AS e
INNER JOIN pg_catalog.pg_namespace AS n ON e.extnamespace = n.oid
WHERE
    e.extname IN ('vector', 'pg_trgm', 'cube', 'earthdistance', 'postgis')
    AND n.nspname NOT IN ('pg_catalog', 'public')
    AND HAS_SCHEMA_PRIVILEGE(n.oid, 'USAGE');
