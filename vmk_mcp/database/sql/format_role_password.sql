-- database/format_role_password: the statement that gives a role its password.
--
-- parameters
--   $1 role       text
--   $2 password   text
-- columns
--   statement     text
SELECT FORMAT('ALTER ROLE %I PASSWORD %L', $1::text, $2::text) AS statement;
