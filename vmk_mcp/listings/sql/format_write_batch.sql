-- listings/format_write_batch: the statement that writes a batch of listings, for the columns of a file.
--
-- Live tables differ: declared columns may be missing, others be there, types be narrower, an
-- enumeration stand instead of text, search_vector be generated. So the server itself puts the
-- statement together, over the columns that it has. JSON_POPULATE_RECORD turns each value into its
-- column's type; what a row does not hold stays as it is stored.
--
-- The parameters of the statement are: the rows as JSON, each with its record and its words; the name
-- of the text search configuration; the ids of the listings whose text has changed, and whose vector
-- therefore goes. It gives id and is_new of the rows that were written; the others were the same
-- already.
--
-- parameters
--   $1 fields    text[]   columns that are written
-- columns
--   statement    text
SELECT
    FORMAT(
        'INSERT INTO property_listings AS l (%1$s) OVERRIDING SYSTEM VALUE '
        'SELECT %2$s '
        'FROM JSON_TO_RECORDSET(%6$s::json) '
        'AS g (record json, title_words text, place_words text, body_words text) '
        'LEFT JOIN property_listings AS stored ON stored.id = (g.record ->> ''id'')::int8 '
        'CROSS JOIN LATERAL JSON_POPULATE_RECORD(stored, g.record) AS r '
        'CROSS JOIN (SELECT (%7$s::text)::regconfig AS configuration) AS t '
        'ON CONFLICT (id) DO UPDATE SET '
        '%3$s, embedding = CASE WHEN l.id = ANY(%8$s::int8[]) THEN NULL ELSE l.embedding END '
        'WHERE (%4$s) IS DISTINCT FROM (%5$s) '
        'RETURNING l.id::int8 AS id, l.xmax = 0 AS is_new',
        STRING_AGG(FORMAT('%I', a.attname), ', ' ORDER BY a.attnum),
        STRING_AGG(
            CASE
                WHEN a.attname = 'search_vector'
                    THEN
                        'SETWEIGHT(TO_TSVECTOR(t.configuration, g.title_words), ''A'') '
                        '|| SETWEIGHT(TO_TSVECTOR(t.configuration, g.place_words), ''B'') '
                        '|| SETWEIGHT(TO_TSVECTOR(t.configuration, g.body_words), ''C'')'
                ELSE FORMAT('r.%I', a.attname)
            END,
            ', ' ORDER BY a.attnum
        ),
        STRING_AGG(FORMAT('%1$I = excluded.%1$I', a.attname), ', ' ORDER BY a.attnum) FILTER (
            WHERE a.attname <> 'id'
        ),
        STRING_AGG(FORMAT('l.%I', a.attname), ', ' ORDER BY a.attnum),
        STRING_AGG(FORMAT('excluded.%I', a.attname), ', ' ORDER BY a.attnum),
        '$' || 1,
        '$' || 2,
        '$' || 3
    ) AS statement
FROM pg_catalog.pg_attribute AS a
WHERE
    a.attrelid = TO_REGCLASS('property_listings')
    AND (a.attname = ANY($1::text[]) OR a.attname = 'search_vector')
    AND a.attgenerated = ''
    AND NOT a.attisdropped;
