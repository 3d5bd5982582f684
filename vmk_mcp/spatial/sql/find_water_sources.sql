-- spatial/find_water_sources: water sources and tanks, nearest first.
--
-- An index gives neighbours by distance on a sphere (`<->`), the answer is sorted by distance on the
-- spheroid. So the index only finds a reach, as far as the last of as many neighbours as are wanted; all
-- within it are sorted again.
--
-- parameters
--   $1 longitude         float8   degrees, WGS 84 (EPSG:4326)
--   $2 latitude          float8   degrees, WGS 84 (EPSG:4326)
--   $3 all_towns         bool     true: of every town
--   $4 towns             text[]   only of these towns
--   $5 radius_m          float8   metres; null: however far
--   $6 kind              text     water_source or water_tank; null: both
--   $7 min_capacity_m3   float8   cubic metres; null: any, also unknown
--   $8 limit             int4     rows on the page
--   $9 offset            int4     rows before the page
-- columns
--   total           int8     records that match
--   id              int8     null: the page is empty
--   kind            text
--   name            text
--   town            text
--   village         text
--   longitude       float8   degrees, WGS 84
--   latitude        float8   degrees, WGS 84
--   location_kind   text
--   distance_m      float8   metres on the spheroid
--   type            text
--   capacity_m3     float8   cubic metres
WITH record AS NOT MATERIALIZED (
    SELECT
        'water_source'::text AS kind,
        s.id::int8 AS id,
        s.mingcheng::text AS name,
        s.xiangzhen::text AS town,
        s.cun::text AS village,
        s.leixing::text AS type,
        s.rongliang_m3::float8 AS capacity_m3,
        s.geom
    FROM st_2_mpslfh_t_slfh_syd AS s
    UNION ALL
    SELECT
        'water_tank'::text AS kind,
        t.id::int8 AS id,
        t.mingcheng::text AS name,
        t.xiangzhen::text AS town,
        t.cun::text AS village,
        t.leixing::text AS type,
        t.rongji_m3::float8 AS capacity_m3,
        t.geom
    FROM st_2_xianyouxushuichiguan AS t
),

found AS NOT MATERIALIZED (
    SELECT
        r.*,
        ST_DISTANCE(
            ST_FORCE2D(r.geom)::geography,
            ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography
        ) AS distance_m
    FROM record AS r
    WHERE
        NOT ST_ISEMPTY(r.geom)
        AND ST_ISVALID(r.geom)
        AND ($3::bool OR r.town = ANY($4::text[]))
        AND ($6::text IS NULL OR r.kind = $6::text)
        AND ($7::float8 IS NULL OR r.capacity_m3 >= $7::float8)
        AND (
            $5::float8 IS NULL
            OR ST_DWITHIN(
                ST_FORCE2D(r.geom)::geography,
                ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography,
                $5::float8
            )
        )
),

reach AS (
    -- A hair more, for the two ways in which distances are computed differ in their last digits.
    SELECT MAX(n.distance_m) * 1.000001 + 0.01 AS reach_m
    FROM (
        SELECT f.distance_m
        FROM found AS f
        ORDER BY
            ST_FORCE2D(f.geom)::geography
            <-> ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography
        LIMIT $8::int4 + $9::int4
    ) AS n
),

page AS (
    SELECT f.*
    FROM found AS f
    WHERE
        ST_DWITHIN(
            ST_FORCE2D(f.geom)::geography,
            ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography,
            (SELECT r.reach_m FROM reach AS r)
        )
    ORDER BY f.distance_m, f.kind, f.id
    LIMIT $8::int4
    OFFSET $9::int4
)

SELECT
    c.total,
    p.id,
    p.kind,
    p.name,
    p.town,
    p.village,
    ST_X(p.geom) AS longitude,
    ST_Y(p.geom) AS latitude,
    'point'::text AS location_kind,
    p.distance_m,
    p.type,
    p.capacity_m3
FROM (SELECT COUNT(*) AS total FROM found) AS c
LEFT JOIN page AS p ON TRUE
ORDER BY p.distance_m, p.kind, p.id;
