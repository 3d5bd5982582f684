-- knowledge/lift_session_limit: until the connection is given back, a statement may take as long as it needs.
--
-- columns
--   value   text
SELECT SET_CONFIG('statement_timeout', '0', FALSE) AS value;
