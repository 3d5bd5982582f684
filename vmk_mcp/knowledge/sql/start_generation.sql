-- knowledge/start_generation: begins a new generation, which nobody searches yet.
--
-- parameters
--   $1 name            text
--   $2 provider        text
--   $3 model           text
--   $4 dimensions      int4
--   $5 chunker         text
--   $6 chunk_size      int4
--   $7 chunk_overlap   int4
--   $8 store           text
--   $9 root            text
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
INSERT INTO vmk_mcp.knowledge_generations AS g (
    name, state, provider, model, dimensions, chunker, chunk_size, chunk_overlap, store, root
)
VALUES (
    $1::text, 'building', $2::text, $3::text, $4::int4, $5::text, $6::int4, $7::int4, $8::text, $9::text
)
RETURNING
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
    g.root;
