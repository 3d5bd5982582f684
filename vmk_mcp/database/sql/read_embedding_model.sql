-- database/read_embedding_model: the model that made our own vectors; no row before there are any.
--
-- columns
--   model        text
--   dimensions   int4
SELECT
    m.model,
    m.dimensions
FROM vmk_mcp.embedding_model AS m;
