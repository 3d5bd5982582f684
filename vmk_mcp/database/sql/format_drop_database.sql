-- database/format_drop_database: the statement that drops a database and ends the sessions in it.
--
-- parameters
--   $1 name     text
-- columns
--   statement   text
SELECT FORMAT('DROP DATABASE IF EXISTS %I WITH (FORCE)', $1::text) AS statement;
