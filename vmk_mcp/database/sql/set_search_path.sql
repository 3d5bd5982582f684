-- database/set_search_path: gives a connection another search path, for as long as it lasts.
--
-- parameters
--   $1 path   text
-- columns
--   path      text
SELECT SET_CONFIG('search_path', $1::text, FALSE) AS path;
