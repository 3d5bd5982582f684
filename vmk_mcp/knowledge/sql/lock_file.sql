-- knowledge/lock_file: until the transaction ends, nobody else writes the file of that owner and path.
--
-- parameters
--   $1 owner   int8   null: shared
--   $2 path    text
-- columns
--   locked   bool
SELECT TRUE AS locked
FROM PG_ADVISORY_XACT_LOCK(HASHTEXTEXTENDED(CONCAT('vmk-mcp: file ', $1::int8, '/', $2::text), 0));
