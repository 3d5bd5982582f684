-- knowledge/write_vector: stores the vector of one chunk.
--
-- parameters
--   $1 generation   int8
--   $2 chunk_id     int8
--   $3 owner        int8
--   $4 embedding    vector
-- columns
--   done   bool
SELECT vmk_mcp.write_knowledge_vector($1::int8, $2::int8, $3::int8, $4::vector) AS done;
