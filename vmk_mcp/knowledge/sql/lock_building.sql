-- knowledge/lock_building: tries to be the only session that makes a generation, for as long as it lasts.
--
-- columns
--   locked   bool   false: another one does
SELECT PG_TRY_ADVISORY_LOCK(HASHTEXTEXTENDED('vmk-mcp: knowledge building', 0)) AS locked;
