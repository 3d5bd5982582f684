-- sample/claim_municipal: waits until nobody else loads the municipal sample.
--
-- Others are kept out until the transaction ends.
--
-- columns
--   held   bool
SELECT PG_ADVISORY_XACT_LOCK(HASHTEXTEXTENDED('vmk-mcp: municipal sample', 0)) IS NOT NULL AS held;
