-- database/limit_asking: sets what one transaction may take, and its role; both end with it.
--
-- A setting that the server does not know is left out.
--
-- parameters
--   $1 names    text[]
--   $2 values   text[]   in the same order
-- columns
--   name        text
--   value       text
SELECT
    s.name,
    SET_CONFIG(s.name, s.value, TRUE) AS value
FROM UNNEST($1::text[], $2::text[]) AS s (name, value)
WHERE CURRENT_SETTING(s.name, TRUE) IS NOT NULL;
