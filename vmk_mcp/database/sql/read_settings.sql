-- database/read_settings: session settings as the server holds them.
--
-- parameters
--   $1 names   text[]
-- columns
--   name    text
--   value   text   null: the server does not know the name
SELECT
    n.name,
    CURRENT_SETTING(n.name, TRUE) AS value
FROM UNNEST($1::text[]) AS n (name);
