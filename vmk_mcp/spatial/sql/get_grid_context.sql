-- spatial/get_grid_context: fire grids that cover a point, their boundary included, smallest first.
--
-- parameters
--   $1 longitude   float8   degrees, WGS 84 (EPSG:4326)
--   $2 latitude    float8   degrees, WGS 84 (EPSG:4326)
--   $3 all_towns   bool     true: of every town
--   $4 towns       text[]   only of these towns
--   $5 limit       int4     rows on the page
--   $6 offset      int4     rows before the page
-- columns
--   total           int8     grids that cover the point
--   id              int8     null: the page is empty
--   kind            text
--   name            text
--   town            text
--   village         text
--   longitude       float8   of a point inside; degrees, WGS 84
--   latitude        float8   degrees, WGS 84
--   location_kind   text
--   distance_m      float8   0
--   code            text
--   squadron        text
--   area_ha         float8   hectares, as on record
WITH found AS (
    SELECT
        g.id::int8 AS id,
        g.mingcheng::text AS name,
        g.xiangzhen::text AS town,
        g.cun::text AS village,
        g.bianhao::text AS code,
        NULLIF(BTRIM(g.zhongdui::text), '') AS squadron,
        g.mianji_gongqing::float8 AS area_ha,
        g.geom,
        ST_AREA(ST_FORCE2D(g.geom)::geography) AS area_m2
    FROM st_2_fanghuowangge AS g
    WHERE
        NOT ST_ISEMPTY(g.geom)
        AND ST_ISVALID(g.geom)
        AND ($3::bool OR g.xiangzhen::text = ANY($4::text[]))
        AND ST_COVERS(g.geom, ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326))
),

page AS (
    SELECT f.*
    FROM found AS f
    ORDER BY f.area_m2, f.id
    LIMIT $5::int4
    OFFSET $6::int4
)

SELECT
    c.total,
    p.id,
    'fire_grid'::text AS kind,
    p.name,
    p.town,
    p.village,
    ST_X(s.spot) AS longitude,
    ST_Y(s.spot) AS latitude,
    'representative_point'::text AS location_kind,
    0::float8 AS distance_m,
    p.code,
    p.squadron,
    p.area_ha
FROM (SELECT COUNT(*) AS total FROM found) AS c
LEFT JOIN page AS p ON TRUE
CROSS JOIN LATERAL (SELECT ST_POINTONSURFACE(p.geom) AS spot) AS s
ORDER BY p.area_m2, p.id;
