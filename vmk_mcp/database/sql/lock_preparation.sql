-- database/lock_preparation: waits until no other session prepares databases; held until the session ends.
--
-- columns
--   is_held   bool
SELECT TRUE AS is_held
FROM PG_ADVISORY_LOCK(HASHTEXTEXTENDED('vmk-mcp: preparation', 0));
