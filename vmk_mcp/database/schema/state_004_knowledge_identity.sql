-- What tells this database's index from every other: a name that is made once, by which stores outside of
-- Postgres know what is ours, and the folder that a generation is of.

SET LOCAL ROLE vmk_owner;

CREATE TABLE vmk_mcp.knowledge_index (
    is_the_one boolean PRIMARY KEY DEFAULT true CHECK (is_the_one),
    name text NOT NULL,
    root text NOT NULL DEFAULT ''
);

COMMENT ON TABLE vmk_mcp.knowledge_index IS 'One row, made by the first service that needs it';
COMMENT ON COLUMN vmk_mcp.knowledge_index.root IS 'the folder that it is kept for; empty before the first';

ALTER TABLE vmk_mcp.knowledge_generations ADD COLUMN root text NOT NULL DEFAULT '';

COMMENT ON COLUMN vmk_mcp.knowledge_generations.root IS 'the folder that its documents are of';

RESET ROLE;
