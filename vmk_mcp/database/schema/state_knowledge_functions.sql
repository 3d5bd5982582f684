-- What is done with a generation's own table of vectors, whose name varies: it is quoted here and nowhere else.
-- Each function runs with the rights of its caller, who owns the tables.

CREATE OR REPLACE FUNCTION vmk_mcp.knowledge_table(generation int8) RETURNS text
LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT format('vmk_mcp.%I', 'knowledge_vectors_' || generation)
$$;

CREATE OR REPLACE FUNCTION vmk_mcp.make_knowledge_vectors(generation int8, dimensions int4) RETURNS boolean
LANGUAGE plpgsql STRICT AS $$
BEGIN
    EXECUTE format(
        'CREATE TABLE %s (chunk_id int8 PRIMARY KEY, owner int8, embedding vector(%s) NOT NULL)',
        vmk_mcp.knowledge_table(generation), dimensions
    );
    EXECUTE format('CREATE INDEX ON %s (owner)', vmk_mcp.knowledge_table(generation));
    RETURN true;
END
$$;

-- The shared folder alone has an index by nearness: with a filter on owners it would lose rows. A user's chunks
-- are all measured. Vectors of more than 2,000 numbers have no such index, and are all measured too.
CREATE OR REPLACE FUNCTION vmk_mcp.index_knowledge_vectors(generation int8, dimensions int4) RETURNS boolean
LANGUAGE plpgsql STRICT AS $$
BEGIN
    IF dimensions <= 2000 THEN
        EXECUTE format(
            'CREATE INDEX IF NOT EXISTS %I ON %s USING hnsw (embedding vector_cosine_ops) WHERE owner IS NULL',
            'knowledge_vectors_' || generation || '_near', vmk_mcp.knowledge_table(generation)
        );
    END IF;
    EXECUTE format('ANALYZE %s', vmk_mcp.knowledge_table(generation));
    RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION vmk_mcp.drop_knowledge_vectors(generation int8) RETURNS boolean
LANGUAGE plpgsql STRICT AS $$
BEGIN
    EXECUTE format('DROP TABLE IF EXISTS %s', vmk_mcp.knowledge_table(generation));
    RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION vmk_mcp.write_knowledge_vector(
    generation int8, chunk_id int8, owner int8, embedding vector
) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %s VALUES ($1, $2, $3)', vmk_mcp.knowledge_table(generation))
    USING chunk_id, owner, embedding;
    RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION vmk_mcp.delete_knowledge_vectors(generation int8, chunk_ids int8 []) RETURNS boolean
LANGUAGE plpgsql STRICT AS $$
BEGIN
    EXECUTE format('DELETE FROM %s WHERE chunk_id = ANY($1)', vmk_mcp.knowledge_table(generation))
    USING chunk_ids;
    RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION vmk_mcp.read_knowledge_vectors(generation int8, chunk_ids int8 [])
RETURNS TABLE (chunk_id int8, owner int8, embedding vector)
LANGUAGE plpgsql STRICT AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT v.chunk_id, v.owner, v.embedding FROM %s AS v WHERE v.chunk_id = ANY($1) ORDER BY v.chunk_id',
        vmk_mcp.knowledge_table(generation)
    )
    USING chunk_ids;
END
$$;

CREATE OR REPLACE FUNCTION vmk_mcp.list_knowledge_vectors(generation int8) RETURNS SETOF int8
LANGUAGE plpgsql STRICT AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT v.chunk_id FROM %s AS v ORDER BY v.chunk_id', vmk_mcp.knowledge_table(generation)
    );
END
$$;

-- Sessions that keep the index for a folder share one lock for as long as they last. Who comes with another folder
-- than the generations are of has it alone for a moment, or is refused: then somebody keeps them for theirs.
CREATE OR REPLACE FUNCTION vmk_mcp.claim_knowledge(root text) RETURNS boolean
LANGUAGE plpgsql STRICT AS $$
DECLARE
    presence CONSTANT int8 := hashtextextended('vmk-mcp: knowledge presence', 0);
    is_alone boolean := false;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('vmk-mcp: knowledge claim', 0));
    INSERT INTO vmk_mcp.knowledge_index AS i (name, root)
    VALUES (replace(gen_random_uuid()::text, '-', ''), claim_knowledge.root)
    ON CONFLICT (is_the_one) DO NOTHING;
    IF EXISTS (SELECT FROM vmk_mcp.knowledge_index AS i WHERE i.root <> claim_knowledge.root) THEN
        IF NOT pg_try_advisory_lock(presence) THEN
            RETURN false;
        END IF;
        is_alone := true;
        UPDATE vmk_mcp.knowledge_index AS i SET root = claim_knowledge.root;
    END IF;
    PERFORM pg_advisory_lock_shared(presence);
    IF is_alone THEN
        PERFORM pg_advisory_unlock(presence);
    END IF;
    RETURN true;
END
$$;

-- All of an owner's chunks are measured: MATERIALIZED keeps the planner from the index by nearness.
CREATE OR REPLACE FUNCTION vmk_mcp.find_knowledge_exact(
    generation int8, owner int8, wanted vector, most int4
) RETURNS TABLE (chunk_id int8, distance float8)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'WITH measured AS MATERIALIZED ('
        '    SELECT v.chunk_id, v.embedding <=> $2 AS distance FROM %s AS v WHERE %s'
        ') SELECT m.chunk_id, m.distance FROM measured AS m ORDER BY m.distance, m.chunk_id LIMIT $3',
        vmk_mcp.knowledge_table(generation),
        CASE WHEN owner IS NULL THEN 'v.owner IS NULL' ELSE 'v.owner = $1' END
    )
    USING owner, wanted, most;
END
$$;

-- Shared chunks by the index, four times as many as are wanted and sorted again, as relaxed_order asks for.
CREATE OR REPLACE FUNCTION vmk_mcp.find_knowledge_approximate(generation int8, wanted vector, most int4)
RETURNS TABLE (chunk_id int8, distance float8)
LANGUAGE plpgsql STRICT AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'WITH near AS MATERIALIZED ('
        '    SELECT v.chunk_id, v.embedding <=> $1 AS distance FROM %s AS v WHERE v.owner IS NULL'
        '    ORDER BY v.embedding <=> $1 LIMIT 4 * $2'
        ') SELECT n.chunk_id, n.distance FROM near AS n ORDER BY n.distance, n.chunk_id LIMIT $2',
        vmk_mcp.knowledge_table(generation)
    )
    USING wanted, most;
END
$$;

-- Vectors of texts that were embedded before, one for each text.
CREATE OR REPLACE FUNCTION vmk_mcp.find_knowledge_texts(generation int8, text_hashes text [])
RETURNS TABLE (text_hash text, embedding vector)
LANGUAGE plpgsql STRICT AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT DISTINCT ON (c.text_hash) c.text_hash, v.embedding'
        ' FROM vmk_mcp.knowledge_chunks AS c INNER JOIN %s AS v ON c.id = v.chunk_id'
        ' WHERE c.generation = $1 AND c.text_hash = ANY($2) ORDER BY c.text_hash, c.id',
        vmk_mcp.knowledge_table(generation)
    )
    USING generation, text_hashes;
END
$$;
