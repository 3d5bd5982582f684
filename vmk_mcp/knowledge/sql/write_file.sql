-- knowledge/write_file: notes a file as it is now, be it known or not.
--
-- parameters
--   $1 generation     int8
--   $2 owner          int8   null: shared
--   $3 path           text
--   $4 content_hash   text
--   $5 encoding       text
--   $6 reason         text   empty: it is indexed
--   $7 chunks         int4
-- columns
--   id   int8
INSERT INTO vmk_mcp.knowledge_files AS f (generation, owner, path, content_hash, encoding, reason, chunks)
VALUES ($1::int8, $2::int8, $3::text, $4::text, $5::text, $6::text, $7::int4)
ON CONFLICT (generation, owner, path) DO UPDATE
SET
    content_hash = excluded.content_hash,
    encoding = excluded.encoding,
    reason = excluded.reason,
    chunks = excluded.chunks,
    changed_at = NOW()
RETURNING f.id;
