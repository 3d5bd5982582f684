-- listings/warm_text_search: loads the Ukrainian dictionary into this connection, where there is one.
--
-- columns
--   words   text
SELECT TO_TSVECTOR(c.oid::regconfig, 'квартири')::text AS words
FROM pg_catalog.pg_ts_config AS c
WHERE c.cfgname = 'ukrainian' AND PG_TS_CONFIG_IS_VISIBLE(c.oid);
