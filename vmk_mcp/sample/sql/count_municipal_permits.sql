-- sample/count_municipal_permits: how many permits the municipal sample holds; none before it is loaded.
--
-- columns
--   permits   int8
SELECT COUNT(*) AS permits
FROM permits;
