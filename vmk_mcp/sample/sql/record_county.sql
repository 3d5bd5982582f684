-- sample/record_county: notes which made-up county is loaded whole, in place of an earlier note.
--
-- parameters
--   $1 edition   text
--   $2 records   int8
-- columns
--   edition   text
INSERT INTO vmk_mcp.county (edition, records)
VALUES ($1::text, $2::int8)
ON CONFLICT (is_the_only_row) DO UPDATE
SET
    edition = excluded.edition,
    records = excluded.records,
    loaded_at = NOW()
RETURNING county.edition;
