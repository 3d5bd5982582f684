-- listings/warm_text_search: loads the Ukrainian dictionary into this connection.
--
-- columns
--   words   text
SELECT TO_TSVECTOR('ukrainian', 'квартири')::text AS words;
