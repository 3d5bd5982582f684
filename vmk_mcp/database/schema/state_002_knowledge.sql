-- The index over a folder of documents. A generation is one whole index, made by one model and one chunker; its
-- vectors lie in a table of their own, `knowledge_vectors_<id>`, for their dimension is the model's.

CREATE SCHEMA IF NOT EXISTS vmk_mcp;

SET LOCAL ROLE vmk_owner;

CREATE TABLE vmk_mcp.knowledge_generations (
    id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    state text NOT NULL CHECK (state IN ('building', 'active')),
    revision int8 NOT NULL DEFAULT 0,
    provider text NOT NULL,
    model text NOT NULL,
    dimensions int4 NOT NULL CHECK (dimensions BETWEEN 1 AND 16000),
    chunker text NOT NULL,
    chunk_size int4 NOT NULL,
    chunk_overlap int4 NOT NULL,
    store text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);

-- One is searched, and at most one is being made.
CREATE UNIQUE INDEX knowledge_generations_state ON vmk_mcp.knowledge_generations (state);

CREATE TABLE vmk_mcp.knowledge_files (
    id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    generation int8 NOT NULL REFERENCES vmk_mcp.knowledge_generations (id) ON DELETE CASCADE,
    owner int8,
    path text NOT NULL,
    content_hash text NOT NULL,
    encoding text NOT NULL,
    reason text NOT NULL,
    chunks int4 NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (generation, owner, path)
);

COMMENT ON COLUMN vmk_mcp.knowledge_files.owner IS 'whose folder; null: the shared one';
COMMENT ON COLUMN vmk_mcp.knowledge_files.reason IS 'why it could not be indexed; empty where it was';

CREATE INDEX knowledge_files_content ON vmk_mcp.knowledge_files (generation, content_hash);

CREATE TABLE vmk_mcp.knowledge_chunks (
    id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    generation int8 NOT NULL,
    file_id int8 NOT NULL REFERENCES vmk_mcp.knowledge_files (id) ON DELETE CASCADE,
    ordinal int4 NOT NULL,
    text_hash text NOT NULL,
    heading_path text [] NOT NULL,
    text text NOT NULL,
    start_line int4 NOT NULL,
    end_line int4 NOT NULL,
    tokens int4 NOT NULL
);

COMMENT ON COLUMN vmk_mcp.knowledge_chunks.text_hash IS 'SHA-256 of what was embedded: heading path and text';

CREATE INDEX knowledge_chunks_file ON vmk_mcp.knowledge_chunks (file_id);
CREATE INDEX knowledge_chunks_text ON vmk_mcp.knowledge_chunks (generation, text_hash);

-- Files that were changed in the active generation while another one is made, which therefore looks at them again.
CREATE TABLE vmk_mcp.knowledge_touched (
    generation int8 NOT NULL REFERENCES vmk_mcp.knowledge_generations (id) ON DELETE CASCADE,
    owner int8,
    path text NOT NULL,
    UNIQUE NULLS NOT DISTINCT (generation, owner, path)
);

RESET ROLE;
