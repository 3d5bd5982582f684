-- spatial/find_access_routes: fire passages, nearest first.
--
-- An index gives neighbours by distance on a sphere (`<->`), the answer is sorted by distance on the
-- spheroid. So the index only finds a reach, as far as the last of as many neighbours as are wanted; all
-- within it are sorted again.
--
-- parameters
--   $1 longitude     float8   degrees, WGS 84 (EPSG:4326)
--   $2 latitude      float8   degrees, WGS 84 (EPSG:4326)
--   $3 all_towns     bool     true: of every town
--   $4 towns         text[]   only of these towns
--   $5 radius_m      float8   metres; null: however far
--   $6 min_width_m   float8   metres; null: any, also unknown
--   $7 limit         int4     rows on the page
--   $8 offset        int4     rows before the page
-- columns
--   total               int8     records that match
--   id                  int8     null: the page is empty
--   kind                text
--   name                text
--   town                text
--   village             text
--   longitude           float8   of the line's start; degrees, WGS 84
--   latitude            float8   degrees, WGS 84
--   location_kind       text
--   distance_m          float8   metres on the spheroid
--   type                text
--   width_m             float8   metres
--   length_m            float8   metres on the spheroid
--   nearest_longitude   float8   of the point on the line that is nearest
--   nearest_latitude    float8   degrees, WGS 84
WITH found AS NOT MATERIALIZED (
    SELECT
        r.id::int8 AS id,
        r.mingcheng::text AS name,
        r.xiangzhen::text AS town,
        r.cun::text AS village,
        r.leixing::text AS type,
        r.kuandu_m::float8 AS width_m,
        r.geom,
        ST_DISTANCE(
            ST_FORCE2D(r.geom)::geography,
            ST_SETSRID(ST_MAKEPOINT($1::float8, $2::float8), 4326)::geography
        ) AS distance_m
    FROM st_2_xianyoufanghuotongdao AS r
    WHERE
        NOT ST_ISEMPTY(r.geom)
        AND ST_ISVALID(r.geom)
        AND ($3::bool OR r.xiangzhen::text = ANY($4::text[]))
        AND ($6::float8 IS NULL OR r.kuandu_m::float8 >= $6::float8)
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
        LIMIT $7::int4 + $8::int4
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
    ORDER BY f.distance_m, f.id
    LIMIT $7::int4
    OFFSET $8::int4
)

SELECT
    c.total,
    p.id,
    'fire_passage'::text AS kind,
    p.name,
    p.town,
    p.village,
    ST_X(s.spot) AS longitude,
    ST_Y(s.spot) AS latitude,
    'line_start'::text AS location_kind,
    p.distance_m,
    p.type,
    p.width_m,
    ST_LENGTH(ST_FORCE2D(p.geom)::geography) AS length_m,
    ST_X(n.spot) AS nearest_longitude,
    ST_Y(n.spot) AS nearest_latitude
FROM (SELECT COUNT(*) AS total FROM found) AS c
LEFT JOIN page AS p ON TRUE
-- The first of all points: a part of several lines may be empty.
CROSS JOIN LATERAL (SELECT ST_GEOMETRYN(ST_POINTS(p.geom), 1) AS spot) AS s
-- Degrees of longitude are shorter than those of latitude: nearest is nearest on a plane laid on the given
-- point, where distances from it are true.
CROSS JOIN LATERAL (
    SELECT
        'proj=longlat datum=WGS84'::text AS degrees,
        FORMAT('proj=aeqd lon_0=%s lat_0=%s datum=WGS84 units=m', $1::float8, $2::float8) AS metres
) AS plane
CROSS JOIN LATERAL (
    SELECT
        ST_TRANSFORM(
            ST_CLOSESTPOINT(
                ST_TRANSFORM(ST_FORCE2D(p.geom), plane.degrees, plane.metres), ST_MAKEPOINT(0, 0)
            ),
            plane.metres,
            plane.degrees
        ) AS spot
) AS n
ORDER BY p.distance_m, p.id;
