-- spatial/find_risk_areas: burial grounds and works that cover a point or are near it, nearest first.
--
-- parameters
--   $1 longitude   float8   degrees, WGS 84 (EPSG:4326)
--   $2 latitude    float8   degrees, WGS 84 (EPSG:4326)
--   $3 all_towns   bool     true: of every town
--   $4 towns       text[]   only of these towns
--   $5 radius_m    float8   metres
--   $6 limit       int4     rows on the page
--   $7 offset      int4     rows before the page
-- columns
--   total           int8     areas that match
--   id              int8     null: the page is empty
--   kind            text
--   name            text
--   town            text
--   village         text
--   longitude       float8   of a point inside; degrees, WGS 84
--   latitude        float8   degrees, WGS 84
--   location_kind   text
--   distance_m      float8   to the area's edge, 0 inside; metres on the spheroid
--   relation        text     covers or near
--   type            text     of works; null for burial grounds
--   area_ha         float8   of burial grounds, hectares as on record; null for works
WITH record AS NOT MATERIALIZED (
    SELECT
        'burial_ground'::text AS kind,
        b.id::int8 AS id,
        b.mingcheng::text AS name,
        b.xiangzhen::text AS town,
        b.cun::text AS village,
        NULL::text AS type,
        b.mianji_gongqing::float8 AS area_ha,
        b.geom
    FROM st_2_mudifenqu_mian AS b
    UNION ALL
    SELECT
        'forest_works'::text AS kind,
        w.id::int8 AS id,
        w.mingcheng::text AS name,
        w.xiangzhen::text AS town,
        w.cun::text AS village,
        w.leixing::text AS type,
        NULL::float8 AS area_ha,
        w.geom
    FROM st_2_linqugongkuangqiye AS w
),

found AS MATERIALIZED (
    SELECT
        r.*,
        ST_COVERS(r.geom, ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)) AS covers
    FROM record AS r
    WHERE
        NOT ST_ISEMPTY(r.geom)
        AND ST_ISVALID(r.geom)
        AND ($3::bool OR r.town = ANY($4::text[]))
        -- An edge is straight on the map to one of these and shortest on the globe to the other.
        AND (
            ST_COVERS(r.geom, ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326))
            OR ST_DWITHIN(
                ST_FORCE2D(r.geom)::geography,
                ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography,
                $5::float8
            )
        )
),

page AS (
    SELECT
        f.*,
        CASE
            WHEN f.covers THEN 0::float8
            ELSE ST_DISTANCE(
                ST_FORCE2D(f.geom)::geography,
                ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography
            )
        END AS distance_m
    FROM found AS f
    ORDER BY distance_m, f.kind, f.id
    LIMIT $6::int4
    OFFSET $7::int4
)

SELECT
    c.total,
    p.id,
    p.kind,
    p.name,
    p.town,
    p.village,
    ST_X(s.spot) AS longitude,
    ST_Y(s.spot) AS latitude,
    'representative_point'::text AS location_kind,
    p.distance_m,
    CASE WHEN p.covers THEN 'covers'::text ELSE 'near'::text END AS relation,
    p.type,
    p.area_ha
FROM (SELECT COUNT(*) AS total FROM found) AS c
LEFT JOIN page AS p ON TRUE
CROSS JOIN LATERAL (SELECT ST_POINTONSURFACE(p.geom) AS spot) AS s
ORDER BY p.distance_m, p.kind, p.id;
