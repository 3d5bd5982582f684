-- database/read_setting: one session setting as the server holds it.
--
-- parameters
--   $1 name    text
-- columns
--   value      text   null: the server does not know the name
SELECT CURRENT_SETTING($1::text, TRUE) AS value;
