-- sample/write_lookout: writes one lookout post of the made-up county.
--
-- parameters
--   $1 id          int8
--   $2 mingcheng   text
--   $3 xiangzhen   text
--   $4 cun         text
--   $5 haiba_m     float8
--   $6 geom        text   extended well-known text; null: none
-- columns
--   id   int8
INSERT INTO st_2_fanghuoliaowangshao (
    id, mingcheng, xiangzhen, cun, haiba_m, geom
)
VALUES (
    $1::int8, $2::text, $3::text, $4::text, $5::float8, ST_GEOMFROMEWKT($6::text)
)
RETURNING id;
