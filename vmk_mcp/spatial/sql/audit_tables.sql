-- spatial/audit_tables: what the geometry of each table is like.
--
-- SRID, type and range are those of geometry that is there and not empty. NaN is above every number, hence
-- out of range.
--
-- columns
--   kind           text
--   records        int8
--   srids          int4[]   of all that is not empty
--   types          text[]   the same; without Z and M
--   with_z         int8     records whose geometry has a Z
--   empty          int8     records without geometry, or with an empty one
--   invalid        int8     records whose geometry is not valid
--   out_of_range   int8     records beyond longitude 180 or latitude 90
WITH record AS NOT MATERIALIZED (
    SELECT
        'fire_grid'::text AS kind,
        t.geom
    FROM st_2_fanghuowangge AS t
    UNION ALL
    SELECT
        'water_source'::text AS kind,
        t.geom
    FROM st_2_mpslfh_t_slfh_syd AS t
    UNION ALL
    SELECT
        'water_tank'::text AS kind,
        t.geom
    FROM st_2_xianyouxushuichiguan AS t
    UNION ALL
    SELECT
        'check_station'::text AS kind,
        t.geom
    FROM st_2_fanghuojianchazhan AS t
    UNION ALL
    SELECT
        'lookout'::text AS kind,
        t.geom
    FROM st_2_fanghuoliaowangshao AS t
    UNION ALL
    SELECT
        'fire_passage'::text AS kind,
        t.geom
    FROM st_2_xianyoufanghuotongdao AS t
    UNION ALL
    SELECT
        'burial_ground'::text AS kind,
        t.geom
    FROM st_2_mudifenqu_mian AS t
    UNION ALL
    SELECT
        'forest_works'::text AS kind,
        t.geom
    FROM st_2_linqugongkuangqiye AS t
),

looked AS (
    SELECT
        r.kind,
        r.geom,
        COALESCE(ST_ISEMPTY(r.geom), TRUE) AS is_empty
    FROM record AS r
)

SELECT
    l.kind,
    COUNT(*) AS records,
    COALESCE(ARRAY_AGG(DISTINCT ST_SRID(l.geom)) FILTER (WHERE NOT l.is_empty), '{}') AS srids,
    COALESCE(
        ARRAY_AGG(DISTINCT GEOMETRYTYPE(ST_FORCE2D(l.geom))) FILTER (WHERE NOT l.is_empty), '{}'
    ) AS types,
    COUNT(*) FILTER (WHERE ST_ZMFLAG(l.geom) >= 2) AS with_z,
    COUNT(*) FILTER (WHERE l.is_empty) AS empty,
    COUNT(*) FILTER (WHERE NOT l.is_empty AND NOT ST_ISVALID(l.geom)) AS invalid,
    COUNT(*) FILTER (
        WHERE
        NOT l.is_empty
        AND NOT (
            ST_XMIN(l.geom) >= -180
            AND ST_XMAX(l.geom) <= 180
            AND ST_YMIN(l.geom) >= -90
            AND ST_YMAX(l.geom) <= 90
        )
    ) AS out_of_range
FROM looked AS l
GROUP BY l.kind
ORDER BY l.kind;
