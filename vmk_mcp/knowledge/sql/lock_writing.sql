-- knowledge/lock_writing: until the transaction ends, no generation takes another's place or is begun.
--
-- columns
--   locked   bool
SELECT TRUE AS locked
FROM PG_ADVISORY_XACT_LOCK_SHARED(HASHTEXTEXTENDED('vmk-mcp: knowledge writing', 0));
