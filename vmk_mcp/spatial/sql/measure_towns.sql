-- spatial/measure_towns: how many records each town has, and the box that holds them.
--
-- columns
--   town        text
--   records     int8     whose geometry is usable
--   west        float8   degrees, WGS 84
--   south       float8
--   east        float8
--   north       float8
WITH record AS NOT MATERIALIZED (
    SELECT
        'fire_grid'::text AS kind,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_fanghuowangge AS t
    UNION ALL
    SELECT
        'water_source'::text AS kind,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_mpslfh_t_slfh_syd AS t
    UNION ALL
    SELECT
        'water_tank'::text AS kind,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_xianyouxushuichiguan AS t
    UNION ALL
    SELECT
        'check_station'::text AS kind,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_fanghuojianchazhan AS t
    UNION ALL
    SELECT
        'lookout'::text AS kind,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_fanghuoliaowangshao AS t
    UNION ALL
    SELECT
        'fire_passage'::text AS kind,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_xianyoufanghuotongdao AS t
    UNION ALL
    SELECT
        'burial_ground'::text AS kind,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_mudifenqu_mian AS t
    UNION ALL
    SELECT
        'forest_works'::text AS kind,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_linqugongkuangqiye AS t
)

SELECT
    r.town,
    COUNT(*) AS records,
    MIN(ST_XMIN(r.geom)) AS west,
    MIN(ST_YMIN(r.geom)) AS south,
    MAX(ST_XMAX(r.geom)) AS east,
    MAX(ST_YMAX(r.geom)) AS north
FROM record AS r
WHERE r.town IS NOT NULL AND NOT ST_ISEMPTY(r.geom) AND ST_ISVALID(r.geom)
GROUP BY r.town
ORDER BY records DESC, r.town;
