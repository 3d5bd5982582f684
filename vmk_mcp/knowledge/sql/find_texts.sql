-- knowledge/find_texts: vectors of texts that a generation has embedded, one for each text.
--
-- parameters
--   $1 generation    int8
--   $2 text_hashes   text[]
-- columns
--   text_hash   text
--   embedding   vector
SELECT
    t.text_hash,
    t.embedding
FROM vmk_mcp.find_knowledge_texts($1::int8, $2::text[]) AS t;
