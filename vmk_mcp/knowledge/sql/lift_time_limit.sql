-- knowledge/lift_time_limit: until the transaction ends, a statement may take as long as it needs.
--
-- columns
--   value   text
SELECT SET_CONFIG('statement_timeout', '0', TRUE) AS value;
