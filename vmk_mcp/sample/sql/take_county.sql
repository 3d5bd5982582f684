-- sample/take_county: waits until no other process loads the county; until the transaction ends, none does.
--
-- columns
--   is_taken   bool
SELECT TRUE AS is_taken
FROM PG_ADVISORY_XACT_LOCK(HASHTEXTEXTENDED('vmk-mcp: county', 0));
