-- sample/write_water_tank: writes one water tank or pool of the made-up county.
--
-- parameters
--   $1 id          int8
--   $2 mingcheng   text
--   $3 xiangzhen   text
--   $4 cun         text
--   $5 leixing     text
--   $6 rongji_m3   float8
--   $7 geom        text   extended well-known text; null: none
-- columns
--   id   int8
INSERT INTO st_2_xianyouxushuichiguan (
    id, mingcheng, xiangzhen, cun, leixing, rongji_m3, geom
)
VALUES (
    $1::int8, $2::text, $3::text, $4::text, $5::text, $6::float8, ST_GEOMFROMEWKT($7::text)
)
RETURNING id;
