-- knowledge/list_generations: all generations there are, the one that is searched first.
--
-- columns
--   id              int8
--   name            text
--   state           text
--   revision        int8
--   provider        text
--   model           text
--   dimensions      int4
--   chunker         text
--   chunk_size      int4
--   chunk_overlap   int4
--   store           text
--   root            text
SELECT
    g.id,
    g.name,
    g.state,
    g.revision,
    g.provider,
    g.model,
    g.dimensions,
    g.chunker,
    g.chunk_size,
    g.chunk_overlap,
    g.store,
    g.root
FROM vmk_mcp.knowledge_generations AS g
ORDER BY g.state, g.id;
