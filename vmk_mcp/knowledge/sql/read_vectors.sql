-- knowledge/read_vectors: vectors by chunk, and whose they are.
--
-- parameters
--   $1 generation   int8
--   $2 ids          int8[]
-- columns
--   id          int8
--   owner       int8   null: shared
--   embedding   vector
SELECT
    v.id,
    v.owner,
    v.embedding
FROM vmk_mcp.read_knowledge_vectors($1::int8, $2::int8[]) AS v (id, owner, embedding);
