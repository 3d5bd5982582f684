-- ask/write_query: puts one call on record.
--
-- parameters
--   $1 asked_at      timestamptz
--   $2 token         text
--   $3 source        text
--   $4 tool          text
--   $5 question      text
--   $6 sql           text
--   $7 backend       text
--   $8 rejected      bool
--   $9 reason_code   text
--   $10 row_count    int4
--   $11 elapsed_ms   float8
-- columns
--   id               int8
INSERT INTO query_log AS l (
    asked_at, token, source, tool, question, sql, backend, rejected, reason_code, row_count, elapsed_ms
)
VALUES (
    $1::timestamptz, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bool, $9::text,
    $10::int4, $11::float8
)
RETURNING l.id;
