-- sample/write_check_station: writes one check station of the made-up county.
--
-- parameters
--   $1 id              int8
--   $2 mingcheng       text
--   $3 xiangzhen       text
--   $4 cun             text
--   $5 zhibanrenyuan   text
--   $6 dianhua         text
--   $7 geom            text   extended well-known text; null: none
-- columns
--   id   int8
INSERT INTO st_2_fanghuojianchazhan (
    id, mingcheng, xiangzhen, cun, zhibanrenyuan, dianhua, geom
)
VALUES (
    $1::int8, $2::text, $3::text, $4::text, $5::text, $6::text, ST_GEOMFROMEWKT($7::text)
)
RETURNING id;
