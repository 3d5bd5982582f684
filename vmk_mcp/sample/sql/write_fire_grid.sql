-- sample/write_fire_grid: writes one fire grid of the made-up county.
--
-- parameters
--   $1 id                int8
--   $2 mingcheng         text
--   $3 xiangzhen         text
--   $4 cun               text
--   $5 bianhao           text
--   $6 zhongdui          text
--   $7 mianji_gongqing   float8
--   $8 wanggeyuan        text
--   $9 lianxidianhua     text
--   $10 geom             text   extended well-known text; null: none
-- columns
--   id   int8
INSERT INTO st_2_fanghuowangge (
    id, mingcheng, xiangzhen, cun, bianhao, zhongdui, mianji_gongqing, wanggeyuan, lianxidianhua, geom
)
VALUES (
    $1::int8, $2::text, $3::text, $4::text, $5::text, $6::text, $7::float8, $8::text, $9::text,
    ST_GEOMFROMEWKT($10::text)
)
RETURNING id;
