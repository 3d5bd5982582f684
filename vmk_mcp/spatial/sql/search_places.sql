-- spatial/search_places: records of all tables by name, village or town: exact, then prefix, then similar.
--
-- Similar is a text that holds the wanted one, or half of its pairs of neighbouring characters; where it is
-- one character alone, that is the one pair. Patterns come with LIKE's own signs escaped.
--
-- parameters
--   $1 all_towns   bool     true: of every town
--   $2 towns       text[]   only of these towns
--   $3 wanted      text     in lower case
--   $4 pairs       text[]   LIKE patterns of the pairs of characters of $3, at least one
--   $5 spellings   text[]   the town as it may be written; null: any town
--   $6 kind        text     which table; null: all
--   $7 limit       int4     rows on the page
--   $8 offset      int4     rows before the page
-- columns
--   total           int8     records that match
--   id              int8     null: the page is empty
--   kind            text
--   name            text
--   town            text
--   village         text
--   longitude       float8   degrees, WGS 84
--   latitude        float8   degrees, WGS 84
--   location_kind   text     point, line_start or representative_point
--   match           text     exact, prefix or similar
--   matched         text     name, village or town
WITH record AS NOT MATERIALIZED (
    SELECT
        'fire_grid'::text AS kind,
        t.id::int8 AS id,
        t.mingcheng::text AS name,
        t.xiangzhen::text AS town,
        t.cun::text AS village,
        'representative_point'::text AS location_kind,
        t.geom
    FROM st_2_fanghuowangge AS t
    UNION ALL
    SELECT
        'water_source'::text AS kind,
        t.id::int8 AS id,
        t.mingcheng::text AS name,
        t.xiangzhen::text AS town,
        t.cun::text AS village,
        'point'::text AS location_kind,
        t.geom
    FROM st_2_mpslfh_t_slfh_syd AS t
    UNION ALL
    SELECT
        'water_tank'::text AS kind,
        t.id::int8 AS id,
        t.mingcheng::text AS name,
        t.xiangzhen::text AS town,
        t.cun::text AS village,
        'point'::text AS location_kind,
        t.geom
    FROM st_2_xianyouxushuichiguan AS t
    UNION ALL
    SELECT
        'check_station'::text AS kind,
        t.id::int8 AS id,
        t.mingcheng::text AS name,
        t.xiangzhen::text AS town,
        t.cun::text AS village,
        'point'::text AS location_kind,
        t.geom
    FROM st_2_fanghuojianchazhan AS t
    UNION ALL
    SELECT
        'lookout'::text AS kind,
        t.id::int8 AS id,
        t.mingcheng::text AS name,
        t.xiangzhen::text AS town,
        t.cun::text AS village,
        'point'::text AS location_kind,
        t.geom
    FROM st_2_fanghuoliaowangshao AS t
    UNION ALL
    SELECT
        'fire_passage'::text AS kind,
        t.id::int8 AS id,
        t.mingcheng::text AS name,
        t.xiangzhen::text AS town,
        t.cun::text AS village,
        'line_start'::text AS location_kind,
        t.geom
    FROM st_2_xianyoufanghuotongdao AS t
    UNION ALL
    SELECT
        'burial_ground'::text AS kind,
        t.id::int8 AS id,
        t.mingcheng::text AS name,
        t.xiangzhen::text AS town,
        t.cun::text AS village,
        'representative_point'::text AS location_kind,
        t.geom
    FROM st_2_mudifenqu_mian AS t
    UNION ALL
    SELECT
        'forest_works'::text AS kind,
        t.id::int8 AS id,
        t.mingcheng::text AS name,
        t.xiangzhen::text AS town,
        t.cun::text AS village,
        'representative_point'::text AS location_kind,
        t.geom
    FROM st_2_linqugongkuangqiye AS t
),

near AS (
    SELECT
        r.*,
        LOWER(r.name) AS low_name,
        LOWER(r.village) AS low_village,
        LOWER(r.town) AS low_town,
        LOWER(CONCAT_WS(E'\n', r.name, r.village, r.town)) AS words
    FROM record AS r
    WHERE
        NOT ST_ISEMPTY(r.geom)
        AND ST_ISVALID(r.geom)
        AND ($1::bool OR r.town = ANY($2::text[]))
        AND ($5::text[] IS NULL OR r.town = ANY($5::text[]))
        AND ($6::text IS NULL OR r.kind = $6::text)
        AND LOWER(CONCAT_WS(E'\n', r.name, r.village, r.town)) LIKE ANY($4::text[])
),

alike AS (
    SELECT
        n.*,
        CASE
            WHEN POSITION($3::text IN n.words) > 0 THEN 1::float8
            ELSE (
                SELECT AVG((n.words LIKE u.pair)::int4)::float8
                FROM UNNEST($4::text[]) AS u (pair)
            )
        END AS likeness
    FROM near AS n
),

ranked AS (
    SELECT
        a.*,
        CASE
            WHEN $3::text IN (a.low_name, a.low_village, a.low_town) THEN 1
            WHEN
                STARTS_WITH(a.low_name, $3::text)
                OR STARTS_WITH(a.low_village, $3::text)
                OR STARTS_WITH(a.low_town, $3::text)
                THEN 2
            ELSE 3
        END AS place
    FROM alike AS a
    WHERE a.likeness >= 0.5
),

told AS (
    SELECT
        r.*,
        CASE
            WHEN
                CASE r.place
                    WHEN 1 THEN r.low_name = $3::text
                    WHEN 2 THEN STARTS_WITH(r.low_name, $3::text)
                    ELSE r.low_name LIKE ANY($4::text[])
                END
                THEN 1
            WHEN
                CASE r.place
                    WHEN 1 THEN r.low_village = $3::text
                    WHEN 2 THEN STARTS_WITH(r.low_village, $3::text)
                    ELSE r.low_village LIKE ANY($4::text[])
                END
                THEN 2
            ELSE 3
        END AS field
    FROM ranked AS r
),

page AS (
    SELECT
        t.*,
        ROW_NUMBER() OVER (
            ORDER BY t.place, t.field, t.likeness DESC, CHAR_LENGTH(t.name), t.kind, t.id
        ) AS line
    FROM told AS t
    ORDER BY line
    LIMIT $7::int4
    OFFSET $8::int4
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
    p.location_kind,
    (ARRAY['exact', 'prefix', 'similar'])[p.place] AS match,
    (ARRAY['name', 'village', 'town'])[p.field] AS matched
FROM (SELECT COUNT(*) AS total FROM ranked) AS c
LEFT JOIN page AS p ON TRUE
CROSS JOIN LATERAL (
    SELECT
        CASE p.location_kind
            WHEN 'point' THEN p.geom
            -- The first of all points: a part of several lines may be empty.
            WHEN 'line_start' THEN ST_GEOMETRYN(ST_POINTS(p.geom), 1)
            ELSE ST_POINTONSURFACE(p.geom)
        END AS spot
) AS s
ORDER BY p.line;
