-- listings/find_hybrid_exact: by meaning (every row measured) and by words, fused by reciprocal rank.
--
-- A live table may lack a column. Inside each LATERAL subquery the bare column names mean the table's own
-- columns where it has them, and otherwise those of `absent`: null. The planner folds both away.
--
-- A listing need not hold all words of a wish: hardly one holds all ten. Any of them finds it, and all rank.
-- A word that a fifth of the listings hold would cost a look at each of them, so it finds only where nothing
-- rarer was asked for; how frequent a word is the planner's statistics know.
--
-- parameters
--   $1 deal_types                   text[]      any of these; null: no filter
--   $2 cities                       text[]      stored spellings; any of these
--   $3 districts                    text[]      stored spellings; any of these
--   $4 metro_stations               text[]      stored spellings; any of these
--   $5 building_types               text[]      any of these
--   $6 renovation_statuses          text[]      any of these
--   $7 property_type_ids            int4[]      any of these
--   $8 currency                     text        only listings in this currency
--   $9 price_currencies             text[]      up to four that a price bound reaches; null: no bound
--   $10 price_minima                numeric[]   lower bound in each of $9, in its own money
--   $11 price_maxima                numeric[]   upper bound in each of $9, in its own money
--   $12 rooms_counts                int4[]      any of these
--   $13 min_rooms                   int4        rooms
--   $14 max_rooms                   int4        rooms
--   $15 min_total_area              float8      square metres
--   $16 max_total_area              float8      square metres
--   $17 floors                      int4[]      any of these
--   $18 min_floor                   int4        floor
--   $19 max_floor                   int4        floor
--   $20 not_first_floor             bool        true: the floor is known and above the first
--   $21 not_last_floor              bool        true: the floor is known and below the last
--   $22 has_balcony                 bool        true: at least one; false: none known
--   $23 min_building_year           int4        year
--   $24 max_metro_distance_meters   int4        metres
--   $25 published_since             date        this day or later
--   $26 listing_statuses            text[]      any of these; null: any status
--   $27 near_latitude               float8      degrees, WGS 84 (EPSG:4326); null: no place
--   $28 near_longitude              float8      degrees, WGS 84 (EPSG:4326)
--   $29 near_radius_m               float8      metres on the sphere
--   $30 embedding                   vector      of the query; 768 dimensions
--   $31 max_distance                float8      cosine distance, 0 to 2
--   $32 configuration               text        name of the text search configuration
--   $33 query                       text        normalised
--   $34 raw_query                   text        as it was typed: a foreign search_vector may hold that
--   $35 depth                       int4        rows taken from each branch
--   $36 limit                       int4        rows on the page
--   $37 offset                      int4        rows before the page
--   $38 contacts                    bool        true: contact_phone is shown
--   $39 full                        bool        false: texts are left out
--   $40 most                        int4        stop there: more rows than this are another path's work
-- columns
--   examined                int8     rows that pass and have a vector, at most $40
--   by_meaning              int8     rows of that branch
--   by_words                int8     rows of that branch
--   total                   int8     rows of both, fused
--   unheld                  text[]   words that no listing holds, passing or not
--   id                      int8     null: the page is empty
--   title                   text
--   price                   float8
--   currency                text
--   price_per_m2            float8
--   city                    text
--   district                text
--   rooms_count             int4
--   total_area              float8
--   floor                   int4
--   floors_count            int4
--   metro_station           text
--   publish_date            date
--   url_source              text
--   similarity_score        float8   1 - cosine distance / 2: 0 to 1; null in brief
--   rank_score              float8   ts_rank: how many of the words it holds, and how often; null in brief
--   fusion_score            float8   1 / (60 + place by meaning) + 1.5 / (60 + place by words)
--   meaning_rank            int4     place by meaning
--   words_rank              int4     place by words
--   distance                float8   null here
--   snippet                 text     null here
--   description             text
--   generated_description   text
--   deal_type               text
--   property_type           text
--   living_area             float8
--   kitchen_area            float8
--   building_type           text
--   building_year           int4
--   renovation_status       text
--   balcony_count           int4
--   bathroom_type           text
--   parking_type            text
--   heating_type            text
--   layout_type             text
--   window_view             text
--   metro_distance_type     text
--   metro_distance_meters   int4
--   images_count            int4
--   contact_phone           text
--   listing_status          text
--   archived_at             date
--   created_at              date
--   updated_at              date
WITH known AS MATERIALIZED (
    SELECT
        m.lexeme,
        m.frequency
    FROM pg_stats AS s
    CROSS JOIN LATERAL UNNEST(
        s.most_common_elems::text::text[], s.most_common_elem_freqs
    ) AS m (lexeme, frequency)
    WHERE
        s.schemaname = ANY(CURRENT_SCHEMAS(FALSE))
        AND s.tablename = 'property_listings'
        AND s.attname = 'search_vector'
),
asked AS MATERIALIZED (
    SELECT
        u.lexeme,
        '''' || REPLACE(REPLACE(u.lexeme, '\', '\\'), '''', '''''') || '''' AS literal,
        COALESCE(MAX(k.frequency), 0.0) AS frequency
    FROM UNNEST(TO_TSVECTOR($32::text::regconfig, $33::text || ' ' || $34::text)) AS u
    LEFT JOIN known AS k ON u.lexeme = k.lexeme
    GROUP BY u.lexeme
),
words AS MATERIALIZED (
    SELECT
        STRING_AGG(a.literal, ' | ') FILTER (WHERE a.frequency <= GREATEST(0.2, a.least))::tsquery AS query,
        STRING_AGG(a.literal, ' | ')::tsquery AS ranking
    FROM (
        SELECT
            b.literal,
            b.frequency,
            MIN(b.frequency) OVER () AS least
        FROM asked AS b
    ) AS a
),
passing AS MATERIALIZED (
    SELECT
        l.id,
        l.embedding <=> $30::vector AS cosine_distance
    FROM (
        SELECT
            NULL::text AS deal_type,
            NULL::text AS city,
            NULL::text AS district,
            NULL::text AS metro_station,
            NULL::text AS building_type,
            NULL::text AS renovation_status,
            NULL::int4 AS property_type_id,
            NULL::text AS currency,
            NULL::numeric AS price,
            NULL::int4 AS rooms_count,
            NULL::float8 AS total_area,
            NULL::int4 AS floor,
            NULL::int4 AS floors_count,
            NULL::int4 AS balcony_count,
            NULL::int4 AS building_year,
            NULL::int4 AS metro_distance_meters,
            NULL::date AS publish_date,
            NULL::text AS listing_status,
            NULL::float8 AS latitude,
            NULL::float8 AS longitude,
            NULL::vector AS embedding
    ) AS absent
    CROSS JOIN LATERAL (
        SELECT
            id,
            deal_type,
            city,
            district,
            metro_station,
            building_type,
            renovation_status,
            property_type_id,
            currency,
            price,
            rooms_count,
            total_area,
            floor,
            floors_count,
            balcony_count,
            building_year,
            metro_distance_meters,
            publish_date,
            listing_status,
            latitude,
            longitude,
            embedding
        FROM property_listings
    ) AS l
    WHERE
        l.embedding IS NOT NULL
        AND ($1::text[] IS NULL OR l.deal_type::text = ANY($1::text[]))
        AND ($2::text[] IS NULL OR l.city::text = ANY($2::text[]))
        AND ($3::text[] IS NULL OR l.district::text = ANY($3::text[]))
        AND ($4::text[] IS NULL OR l.metro_station::text = ANY($4::text[]))
        AND ($5::text[] IS NULL OR l.building_type::text = ANY($5::text[]))
        AND ($6::text[] IS NULL OR l.renovation_status::text = ANY($6::text[]))
        AND ($7::int4[] IS NULL OR l.property_type_id = ANY($7::int4[]))
        AND ($8::text IS NULL OR l.currency::text = $8::text)
        AND (
            $9::text[] IS NULL
            OR (
                l.currency::text = ($9::text[])[1]
                AND l.price >= ($10::numeric[])[1]
                AND l.price <= ($11::numeric[])[1]
            )
            OR (
                l.currency::text = ($9::text[])[2]
                AND l.price >= ($10::numeric[])[2]
                AND l.price <= ($11::numeric[])[2]
            )
            OR (
                l.currency::text = ($9::text[])[3]
                AND l.price >= ($10::numeric[])[3]
                AND l.price <= ($11::numeric[])[3]
            )
            OR (
                l.currency::text = ($9::text[])[4]
                AND l.price >= ($10::numeric[])[4]
                AND l.price <= ($11::numeric[])[4]
            )
        )
        AND ($12::int4[] IS NULL OR l.rooms_count = ANY($12::int4[]))
        AND ($13::int4 IS NULL OR l.rooms_count >= $13::int4)
        AND ($14::int4 IS NULL OR l.rooms_count <= $14::int4)
        AND ($15::float8 IS NULL OR l.total_area >= $15::float8)
        AND ($16::float8 IS NULL OR l.total_area <= $16::float8)
        AND ($17::int4[] IS NULL OR l.floor = ANY($17::int4[]))
        AND ($18::int4 IS NULL OR l.floor >= $18::int4)
        AND ($19::int4 IS NULL OR l.floor <= $19::int4)
        AND ($20::bool IS NOT TRUE OR l.floor > 1)
        AND ($21::bool IS NOT TRUE OR l.floor < l.floors_count)
        AND (
            $22::bool IS NULL
            OR ($22::bool AND l.balcony_count > 0)
            OR (NOT $22::bool AND COALESCE(l.balcony_count, 0) = 0)
        )
        AND ($23::int4 IS NULL OR l.building_year >= $23::int4)
        AND ($24::int4 IS NULL OR l.metro_distance_meters <= $24::int4)
        AND ($25::date IS NULL OR l.publish_date >= $25::date)
        AND ($26::text[] IS NULL OR l.listing_status::text = ANY($26::text[]))
        AND (
            $29::float8 IS NULL
            OR (
                l.latitude >= $27::float8 - $29::float8 / 111000.0
                AND l.latitude <= $27::float8 + $29::float8 / 111000.0
                AND 12742000.0 * ASIN(SQRT(LEAST(
                    1.0,
                    SIN(RADIANS(l.latitude - $27::float8) / 2.0) ^ 2
                    + COS(RADIANS($27::float8)) * COS(RADIANS(l.latitude))
                    * SIN(RADIANS(l.longitude - $28::float8) / 2.0) ^ 2
                ))) <= $29::float8
            )
        )
    LIMIT $40::int4 -- noqa: AM09, which rows does not matter: past the bound the answer is thrown away
),
meaning AS MATERIALIZED (
    SELECT
        p.id,
        p.cosine_distance,
        ROW_NUMBER() OVER (ORDER BY p.cosine_distance + 0.0, p.id) AS place
    FROM passing AS p
    WHERE p.cosine_distance <= $31::float8
    ORDER BY place
    LIMIT $35::int4
),
ranked AS MATERIALIZED (
    SELECT
        l.id,
        TS_RANK('{1, 1, 1, 1}'::float4[], l.search_vector, w.ranking) AS rank
    FROM (
        SELECT
            NULL::text AS deal_type,
            NULL::text AS city,
            NULL::text AS district,
            NULL::text AS metro_station,
            NULL::text AS building_type,
            NULL::text AS renovation_status,
            NULL::int4 AS property_type_id,
            NULL::text AS currency,
            NULL::numeric AS price,
            NULL::int4 AS rooms_count,
            NULL::float8 AS total_area,
            NULL::int4 AS floor,
            NULL::int4 AS floors_count,
            NULL::int4 AS balcony_count,
            NULL::int4 AS building_year,
            NULL::int4 AS metro_distance_meters,
            NULL::date AS publish_date,
            NULL::text AS listing_status,
            NULL::float8 AS latitude,
            NULL::float8 AS longitude,
            NULL::tsvector AS search_vector
    ) AS absent
    CROSS JOIN LATERAL (
        SELECT
            id,
            deal_type,
            city,
            district,
            metro_station,
            building_type,
            renovation_status,
            property_type_id,
            currency,
            price,
            rooms_count,
            total_area,
            floor,
            floors_count,
            balcony_count,
            building_year,
            metro_distance_meters,
            publish_date,
            listing_status,
            latitude,
            longitude,
            search_vector
        FROM property_listings
    ) AS l
    CROSS JOIN words AS w
    WHERE
        l.search_vector @@ w.query
        AND ($1::text[] IS NULL OR l.deal_type::text = ANY($1::text[]))
        AND ($2::text[] IS NULL OR l.city::text = ANY($2::text[]))
        AND ($3::text[] IS NULL OR l.district::text = ANY($3::text[]))
        AND ($4::text[] IS NULL OR l.metro_station::text = ANY($4::text[]))
        AND ($5::text[] IS NULL OR l.building_type::text = ANY($5::text[]))
        AND ($6::text[] IS NULL OR l.renovation_status::text = ANY($6::text[]))
        AND ($7::int4[] IS NULL OR l.property_type_id = ANY($7::int4[]))
        AND ($8::text IS NULL OR l.currency::text = $8::text)
        AND (
            $9::text[] IS NULL
            OR (
                l.currency::text = ($9::text[])[1]
                AND l.price >= ($10::numeric[])[1]
                AND l.price <= ($11::numeric[])[1]
            )
            OR (
                l.currency::text = ($9::text[])[2]
                AND l.price >= ($10::numeric[])[2]
                AND l.price <= ($11::numeric[])[2]
            )
            OR (
                l.currency::text = ($9::text[])[3]
                AND l.price >= ($10::numeric[])[3]
                AND l.price <= ($11::numeric[])[3]
            )
            OR (
                l.currency::text = ($9::text[])[4]
                AND l.price >= ($10::numeric[])[4]
                AND l.price <= ($11::numeric[])[4]
            )
        )
        AND ($12::int4[] IS NULL OR l.rooms_count = ANY($12::int4[]))
        AND ($13::int4 IS NULL OR l.rooms_count >= $13::int4)
        AND ($14::int4 IS NULL OR l.rooms_count <= $14::int4)
        AND ($15::float8 IS NULL OR l.total_area >= $15::float8)
        AND ($16::float8 IS NULL OR l.total_area <= $16::float8)
        AND ($17::int4[] IS NULL OR l.floor = ANY($17::int4[]))
        AND ($18::int4 IS NULL OR l.floor >= $18::int4)
        AND ($19::int4 IS NULL OR l.floor <= $19::int4)
        AND ($20::bool IS NOT TRUE OR l.floor > 1)
        AND ($21::bool IS NOT TRUE OR l.floor < l.floors_count)
        AND (
            $22::bool IS NULL
            OR ($22::bool AND l.balcony_count > 0)
            OR (NOT $22::bool AND COALESCE(l.balcony_count, 0) = 0)
        )
        AND ($23::int4 IS NULL OR l.building_year >= $23::int4)
        AND ($24::int4 IS NULL OR l.metro_distance_meters <= $24::int4)
        AND ($25::date IS NULL OR l.publish_date >= $25::date)
        AND ($26::text[] IS NULL OR l.listing_status::text = ANY($26::text[]))
        AND (
            $29::float8 IS NULL
            OR (
                l.latitude >= $27::float8 - $29::float8 / 111000.0
                AND l.latitude <= $27::float8 + $29::float8 / 111000.0
                AND 12742000.0 * ASIN(SQRT(LEAST(
                    1.0,
                    SIN(RADIANS(l.latitude - $27::float8) / 2.0) ^ 2
                    + COS(RADIANS($27::float8)) * COS(RADIANS(l.latitude))
                    * SIN(RADIANS(l.longitude - $28::float8) / 2.0) ^ 2
                ))) <= $29::float8
            )
        )
),
worded AS MATERIALIZED (
    SELECT
        r.id,
        r.rank,
        ROW_NUMBER() OVER (ORDER BY r.rank DESC, r.id) AS place
    FROM ranked AS r
    ORDER BY place
    LIMIT $35::int4
),
fused AS MATERIALIZED (
    SELECT
        COALESCE(m.id, w.id) AS id,
        m.cosine_distance,
        w.rank,
        m.place AS meaning_rank,
        w.place AS words_rank,
        COALESCE(1.0 / (60 + m.place), 0.0) + COALESCE(1.5 / (60 + w.place), 0.0) AS fusion_score
    FROM meaning AS m
    FULL JOIN worded AS w ON m.id = w.id
),
page AS (
    SELECT
        f.*,
        ROW_NUMBER() OVER (ORDER BY f.fusion_score DESC, f.id) AS place
    FROM fused AS f
    ORDER BY place
    LIMIT $36::int4
    OFFSET $37::int4
),
shown AS (
    SELECT
        p.id,
        p.place,
        ROUND((1.0 - p.cosine_distance / 2.0)::numeric, 4)::float8 AS similarity_score,
        ROUND(p.rank::numeric, 4)::float8 AS rank_score,
        ROUND(p.fusion_score, 6)::float8 AS fusion_score,
        p.meaning_rank::int4 AS meaning_rank,
        p.words_rank::int4 AS words_rank,
        l.title::text AS title,
        l.price::float8 AS price,
        l.currency::text AS currency,
        ROUND(l.price::numeric / NULLIF(l.total_area, 0)::numeric, 2)::float8 AS price_per_m2,
        l.city::text AS city,
        l.district::text AS district,
        l.rooms_count::int4 AS rooms_count,
        l.total_area::float8 AS total_area,
        l.floor::int4 AS floor,
        l.floors_count::int4 AS floors_count,
        l.metro_station::text AS metro_station,
        l.publish_date::date AS publish_date,
        l.url_source::text AS url_source,
        CASE WHEN $39::bool THEN l.description::text END AS description,
        CASE WHEN $39::bool THEN l.generated_description::text END AS generated_description,
        l.deal_type::text AS deal_type,
        t.name::text AS property_type,
        l.living_area::float8 AS living_area,
        l.kitchen_area::float8 AS kitchen_area,
        l.building_type::text AS building_type,
        l.building_year::int4 AS building_year,
        l.renovation_status::text AS renovation_status,
        l.balcony_count::int4 AS balcony_count,
        l.bathroom_type::text AS bathroom_type,
        l.parking_type::text AS parking_type,
        l.heating_type::text AS heating_type,
        l.layout_type::text AS layout_type,
        l.window_view::text AS window_view,
        l.metro_distance_type::text AS metro_distance_type,
        l.metro_distance_meters::int4 AS metro_distance_meters,
        l.images_count::int4 AS images_count,
        CASE WHEN $38::bool THEN l.contact_phone::text END AS contact_phone,
        l.listing_status::text AS listing_status,
        l.archived_at::date AS archived_at,
        l.created_at::date AS created_at,
        l.updated_at::date AS updated_at
    FROM page AS p
    CROSS JOIN (
        SELECT
            NULL::text AS title,
            NULL::text AS description,
            NULL::text AS generated_description,
            NULL::numeric AS price,
            NULL::text AS currency,
            NULL::text AS deal_type,
            NULL::int4 AS property_type_id,
            NULL::text AS city,
            NULL::text AS district,
            NULL::int4 AS rooms_count,
            NULL::float8 AS total_area,
            NULL::float8 AS living_area,
            NULL::float8 AS kitchen_area,
            NULL::int4 AS floor,
            NULL::int4 AS floors_count,
            NULL::text AS building_type,
            NULL::int4 AS building_year,
            NULL::text AS renovation_status,
            NULL::int4 AS balcony_count,
            NULL::text AS bathroom_type,
            NULL::text AS parking_type,
            NULL::text AS heating_type,
            NULL::text AS layout_type,
            NULL::text AS window_view,
            NULL::text AS metro_station,
            NULL::text AS metro_distance_type,
            NULL::int4 AS metro_distance_meters,
            NULL::text AS url_source,
            NULL::date AS publish_date,
            NULL::int4 AS images_count,
            NULL::text AS contact_phone,
            NULL::text AS listing_status,
            NULL::date AS archived_at,
            NULL::date AS created_at,
            NULL::date AS updated_at
    ) AS absent
    CROSS JOIN LATERAL (
        SELECT
            id,
            title,
            description,
            generated_description,
            price,
            currency,
            deal_type,
            property_type_id,
            city,
            district,
            rooms_count,
            total_area,
            living_area,
            kitchen_area,
            floor,
            floors_count,
            building_type,
            building_year,
            renovation_status,
            balcony_count,
            bathroom_type,
            parking_type,
            heating_type,
            layout_type,
            window_view,
            metro_station,
            metro_distance_type,
            metro_distance_meters,
            url_source,
            publish_date,
            images_count,
            contact_phone,
            listing_status,
            archived_at,
            created_at,
            updated_at
        FROM property_listings
        WHERE property_listings.id = p.id
    ) AS l
    LEFT JOIN property_types AS t ON l.property_type_id = t.id
)
SELECT
    c.examined,
    c.by_meaning,
    c.by_words,
    c.total,
    c.unheld,
    s.id,
    s.title,
    s.price,
    s.currency,
    s.price_per_m2,
    s.city,
    s.district,
    s.rooms_count,
    s.total_area,
    s.floor,
    s.floors_count,
    s.metro_station,
    s.publish_date,
    s.url_source,
    CASE WHEN $39::bool THEN s.similarity_score END AS similarity_score,
    CASE WHEN $39::bool THEN s.rank_score END AS rank_score,
    s.fusion_score,
    s.meaning_rank,
    s.words_rank,
    NULL::float8 AS distance,
    NULL::text AS snippet,
    s.description,
    s.generated_description,
    s.deal_type,
    s.property_type,
    s.living_area,
    s.kitchen_area,
    s.building_type,
    s.building_year,
    s.renovation_status,
    s.balcony_count,
    s.bathroom_type,
    s.parking_type,
    s.heating_type,
    s.layout_type,
    s.window_view,
    s.metro_distance_type,
    s.metro_distance_meters,
    s.images_count,
    s.contact_phone,
    s.listing_status,
    s.archived_at,
    s.created_at,
    s.updated_at
FROM (
    SELECT
        (SELECT COUNT(*) FROM passing) AS examined,
        (SELECT COUNT(*) FROM meaning) AS by_meaning,
        (SELECT COUNT(*) FROM worded) AS by_words,
        (SELECT COUNT(*) FROM fused) AS total,
        ARRAY(
            SELECT a.lexeme
            FROM asked AS a
            WHERE
                a.frequency = 0.0
                AND NOT EXISTS (
                    SELECT 1
                    FROM property_listings AS l
                    WHERE l.search_vector @@ a.literal::tsquery
                )
            ORDER BY a.lexeme
            LIMIT 10
        ) AS unheld
) AS c
LEFT JOIN shown AS s ON TRUE
ORDER BY s.place;
