-- spatial/find_responsible_squadron: squadrons of the grids that cover a point, or else of the nearest grid.
--
-- Each squadron once, with the smallest of its grids that cover the point. An index gives neighbours by
-- distance on a sphere (`<->`); the nearest on the spheroid is no farther than the first of them.
--
-- parameters
--   $1 longitude   float8   degrees, WGS 84 (EPSG:4326)
--   $2 latitude    float8   degrees, WGS 84 (EPSG:4326)
--   $3 all_towns   bool     true: of every town
--   $4 towns       text[]   only of these towns
--   $5 limit       int4     rows on the page
--   $6 offset      int4     rows before the page
-- columns
--   total           int8     squadrons that match
--   covering        int8     grids that cover the point
--   id              int8     of the grid; null: the page is empty
--   kind            text
--   name            text
--   town            text
--   village         text
--   longitude       float8   of a point inside the grid; degrees, WGS 84
--   latitude        float8   degrees, WGS 84
--   location_kind   text
--   distance_m      float8   to the grid; metres on the spheroid
--   squadron        text
--   code            text     of the grid
--   relation        text     covers, or nearest where no grid covers the point
WITH usable AS NOT MATERIALIZED (
    SELECT
        g.id::int8 AS id,
        g.mingcheng::text AS name,
        g.xiangzhen::text AS town,
        g.cun::text AS village,
        g.bianhao::text AS code,
        NULLIF(BTRIM(g.zhongdui::text), '') AS squadron,
        g.geom
    FROM st_2_fanghuowangge AS g
    WHERE
        NOT ST_ISEMPTY(g.geom)
        AND ST_ISVALID(g.geom)
        AND ($3::bool OR g.xiangzhen::text = ANY($4::text[]))
),

covering AS MATERIALIZED (
    SELECT
        u.*,
        ST_AREA(ST_FORCE2D(u.geom)::geography) AS area_m2
    FROM usable AS u
    WHERE ST_COVERS(u.geom, ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326))
),

reach AS (
    -- A hair more, for the two ways in which distances are computed differ in their last digits.
    SELECT MAX(n.distance_m) * 1.000001 + 0.01 AS reach_m
    FROM (
        SELECT
            ST_DISTANCE(
                ST_FORCE2D(u.geom)::geography,
                ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography
            ) AS distance_m
        FROM usable AS u
        WHERE u.squadron IS NOT NULL AND NOT EXISTS (SELECT FROM covering)
        ORDER BY
            ST_FORCE2D(u.geom)::geography
            <-> ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography
        LIMIT 1
    ) AS n
),

nearest AS (
    SELECT
        u.*,
        ST_DISTANCE(
            ST_FORCE2D(u.geom)::geography,
            ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography
        ) AS distance_m
    FROM usable AS u
    WHERE
        u.squadron IS NOT NULL
        AND ST_DWITHIN(
            ST_FORCE2D(u.geom)::geography,
            ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography,
            (SELECT r.reach_m FROM reach AS r)
        )
    ORDER BY distance_m, u.id
    LIMIT 1
),

found AS MATERIALIZED (
    (
        SELECT DISTINCT ON (c.squadron)
            c.id,
            c.name,
            c.town,
            c.village,
            c.code,
            c.squadron,
            c.geom,
            c.area_m2,
            0::float8 AS distance_m,
            'covers'::text AS relation
        FROM covering AS c
        WHERE c.squadron IS NOT NULL
        ORDER BY c.squadron, c.area_m2, c.id
    )
    UNION ALL
    SELECT
        n.id,
        n.name,
        n.town,
        n.village,
        n.code,
        n.squadron,
        n.geom,
        0::float8 AS area_m2,
        n.distance_m,
        'nearest'::text AS relation
    FROM nearest AS n
),

page AS (
    SELECT f.*
    FROM found AS f
    ORDER BY f.area_m2, f.id
    LIMIT $5::int4
    OFFSET $6::int4
)

SELECT
    t.total,
    t.covering,
    p.id,
    'fire_grid'::text AS kind,
    p.name,
    p.town,
    p.village,
    ST_X(s.spot) AS longitude,
    ST_Y(s.spot) AS latitude,
    'representative_point'::text AS location_kind,
    p.distance_m,
    p.squadron,
    p.code,
    p.relation
FROM (
    SELECT
        (SELECT COUNT(*) FROM found) AS total,
        (SELECT COUNT(*) FROM covering) AS covering
) AS t
LEFT JOIN page AS p ON TRUE
CROSS JOIN LATERAL (SELECT ST_POINTONSURFACE(p.geom) AS spot) AS s
ORDER BY p.area_m2, p.id;
