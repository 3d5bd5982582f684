-- sample/write_water_source: writes one water source of the made-up county.
--
-- parameters
--   $1 id             int8
--   $2 mingcheng      text
--   $3 xiangzhen      text
--   $4 cun            text
--   $5 leixing        text
--   $6 rongliang_m3   float8
--   $7 zerenren       text
--   $8 dianhua        text
--   $9 geom           text   extended well-known text; null: none
-- columns
--   id   int8
INSERT INTO st_2_mpslfh_t_slfh_syd (
    id, mingcheng, xiangzhen, cun, leixing, rongliang_m3, zerenren, dianhua, geom
)
VALUES (
    $1::int8, $2::text, $3::text, $4::text, $5::text, $6::float8, $7::text, $8::text,
    ST_GEOMFROMEWKT($9::text)
)
RETURNING id;
