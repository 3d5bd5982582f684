-- sample/write_burial_ground: writes one burial ground of the made-up county.
--
-- parameters
--   $1 id                int8
--   $2 mingcheng         text
--   $3 xiangzhen         text
--   $4 cun               text
--   $5 mianji_gongqing   float8
--   $6 geom              text   extended well-known text; null: none
-- columns
--   id   int8
INSERT INTO st_2_mudifenqu_mian (
    id, mingcheng, xiangzhen, cun, mianji_gongqing, geom
)
VALUES (
    $1::int8, $2::text, $3::text, $4::text, $5::float8, ST_GEOMFROMEWKT($6::text)
)
RETURNING id;
