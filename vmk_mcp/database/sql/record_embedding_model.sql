-- database/record_embedding_model: notes which model makes the vectors of our own database.
--
-- parameters
--   $1 model        text
--   $2 dimensions   int4   of the model itself, before padding
-- columns
--   model   text
INSERT INTO vmk_mcp.embedding_model (model, dimensions)
VALUES ($1::text, $2::int4)
ON CONFLICT (is_the_only_row) DO UPDATE
SET
    model = excluded.model,
    dimensions = excluded.dimensions,
    recorded_at = NOW()
RETURNING embedding_model.model;
