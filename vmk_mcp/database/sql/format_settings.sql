-- database/format_settings: what makes those settings that the server knows, for one transaction.
--
-- parameters
--   $1 names    text[]
--   $2 values   text[]   in the order of the names
-- columns
--   statement   text
SELECT
    FORMAT(
        'SELECT %s', STRING_AGG(FORMAT('pg_catalog.set_config(%L, %L, TRUE)', s.name, s.value), ', ')
    ) AS statement
FROM UNNEST($1::text[], $2::text[]) AS s (name, value)
WHERE CURRENT_SETTING(s.name, TRUE) IS NOT NULL;
