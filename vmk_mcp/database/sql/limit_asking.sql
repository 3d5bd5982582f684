-- database/limit_asking: sets what one transaction may take, and its role; both end with it.
--
-- parameters
--   $1 timeout   text   of each statement, in milliseconds
--   $2 role      text   to be taken on; empty: the login's own
-- columns
--   timeout      text
--   role         text   null: the login's own
SELECT
    SET_CONFIG('statement_timeout', $1::text, TRUE) AS timeout,
    CASE WHEN $2::text <> '' THEN SET_CONFIG('role', $2::text, TRUE) END AS role;
