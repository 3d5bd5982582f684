-- spatial/list_unusable: records that no query answers with, by table, town and what is wrong with them.
--
-- columns
--   kind       text
--   town       text     null: no town is on record
--   reason     text     empty, or why the geometry is not valid, without the place
--   records    int8
--   some_ids   int8[]   the first five
WITH record AS NOT MATERIALIZED (
    SELECT
        'fire_grid'::text AS kind,
        t.id::int8 AS id,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_fanghuowangge AS t
    UNION ALL
    SELECT
        'water_source'::text AS kind,
        t.id::int8 AS id,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_mpslfh_t_slfh_syd AS t
    UNION ALL
    SELECT
        'water_tank'::text AS kind,
        t.id::int8 AS id,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_xianyouxushuichiguan AS t
    UNION ALL
    SELECT
        'check_station'::text AS kind,
        t.id::int8 AS id,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_fanghuojianchazhan AS t
    UNION ALL
    SELECT
        'lookout'::text AS kind,
        t.id::int8 AS id,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_fanghuoliaowangshao AS t
    UNION ALL
    SELECT
        'fire_passage'::text AS kind,
        t.id::int8 AS id,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_xianyoufanghuotongdao AS t
    UNION ALL
    SELECT
        'burial_ground'::text AS kind,
        t.id::int8 AS id,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_mudifenqu_mian AS t
    UNION ALL
    SELECT
        'forest_works'::text AS kind,
        t.id::int8 AS id,
        t.xiangzhen::text AS town,
        t.geom
    FROM st_2_linqugongkuangqiye AS t
),

unusable AS (
    SELECT
        r.kind,
        r.id,
        r.town,
        CASE
            WHEN COALESCE(ST_ISEMPTY(r.geom), TRUE) THEN 'empty'::text
            ELSE SPLIT_PART(ST_ISVALIDREASON(r.geom), '[', 1)
        END AS reason
    FROM record AS r
    WHERE ST_ISEMPTY(r.geom) IS NOT FALSE OR NOT ST_ISVALID(r.geom)
)

SELECT
    u.kind,
    u.town,
    u.reason,
    COUNT(*) AS records,
    (ARRAY_AGG(u.id ORDER BY u.id))[:5] AS some_ids
FROM unusable AS u
GROUP BY u.kind, u.town, u.reason
ORDER BY u.kind, u.town, u.reason;
