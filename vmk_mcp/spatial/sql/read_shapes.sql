-- spatial/read_shapes: outlines of some records as GeoJSON (RFC 7946), simplified until they fit.
--
-- Of ever coarser tolerances the first whose text is short enough is taken; where none is, the bounding box.
--
-- parameters
--   $1 all_towns   bool     true: of every town
--   $2 towns       text[]   only of these towns
--   $3 kinds       text[]   the table of each record
--   $4 ids         int8[]   its id there
--   $5 most        int4     bytes of one text
-- columns
--   kind     text
--   id       int8
--   detail   text   exact, simplified or bounding_box
--   shape    text   GeoJSON geometry, two-dimensional, outer rings counter-clockwise
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

wanted AS (
    SELECT DISTINCT
        u.kind,
        u.id
    FROM UNNEST($3::text[], $4::int8[]) AS u (kind, id)
),

plain AS (
    SELECT
        r.kind,
        r.id,
        ST_FORCEPOLYGONCCW(ST_FORCE2D(r.geom)) AS geom
    FROM wanted AS w
    INNER JOIN record AS r ON w.kind = r.kind AND w.id = r.id
    WHERE
        NOT ST_ISEMPTY(r.geom)
        AND ST_ISVALID(r.geom)
        AND ($1::bool OR r.town = ANY($2::text[]))
),

exact AS (
    SELECT
        p.kind,
        p.id,
        p.geom,
        ST_ASGEOJSON(p.geom, 7, 0) AS shape
    FROM plain AS p
)

SELECT
    e.kind,
    e.id,
    c.detail,
    c.shape
FROM exact AS e
CROSS JOIN LATERAL (
    SELECT
        'exact'::text AS detail,
        e.shape
    WHERE OCTET_LENGTH(e.shape) <= $5::int4
    UNION ALL
    (
        SELECT
            CASE WHEN s.tolerance < 1 THEN 'simplified'::text ELSE 'bounding_box'::text END AS detail,
            s.shape
        FROM (
            SELECT
                u.tolerance,
                CASE
                    WHEN u.tolerance < 1
                        THEN ST_ASGEOJSON(
                            ST_FORCEPOLYGONCCW(ST_SIMPLIFYPRESERVETOPOLOGY(e.geom, u.tolerance)), 7, 0
                        )
                    ELSE ST_ASGEOJSON(ST_FORCEPOLYGONCCW(ST_ENVELOPE(e.geom)), 7, 0)
                END AS shape
            -- Degrees, of about a metre up to three kilometres, and the last stands for the box.
            FROM UNNEST(
                ARRAY[0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 1]::float8[]
            ) AS u (tolerance)
            WHERE OCTET_LENGTH(e.shape) > $5::int4
        ) AS s
        WHERE s.tolerance = 1 OR OCTET_LENGTH(s.shape) <= $5::int4
        ORDER BY s.tolerance
        LIMIT 1
    )
) AS c
ORDER BY e.kind, e.id;
