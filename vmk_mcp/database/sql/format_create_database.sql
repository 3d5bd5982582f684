-- database/format_create_database: the statement that makes a database, with its names quoted by the server.
--
-- parameters
--   $1 name       text
--   $2 owner      text
--   $3 template   text
-- columns
--   statement     text
SELECT FORMAT('CREATE DATABASE %I OWNER %I TEMPLATE %I', $1::text, $2::text, $3::text) AS statement;
