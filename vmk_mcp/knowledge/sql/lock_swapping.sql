-- knowledge/lock_swapping: waits for all that write files, and keeps them out until the transaction ends.
--
-- columns
--   locked   bool
SELECT TRUE AS locked
FROM PG_ADVISORY_XACT_LOCK(HASHTEXTEXTENDED('vmk-mcp: knowledge writing', 0));
