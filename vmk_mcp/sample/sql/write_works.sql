-- sample/write_works: writes one site of works or mining of the made-up county.
--
-- parameters
--   $1 id          int8
--   $2 mingcheng   text
--   $3 xiangzhen   text
--   $4 cun         text
--   $5 leixing     text
--   $6 geom        text   extended well-known text; null: none
-- columns
--   id   int8
INSERT INTO st_2_linqugongkuangqiye (
    id, mingcheng, xiangzhen, cun, leixing, geom
)
VALUES (
    $1::int8, $2::text, $3::text, $4::text, $5::text, ST_GEOMFROMEWKT($6::text)
)
RETURNING id;
