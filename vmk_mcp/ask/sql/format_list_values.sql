-- ask/format_list_values: the statement that lists the texts of a column, each once, where they are few.
--
-- It looks at a bounded number of rows, and gives null where the column holds too many texts, or prose.
--
-- parameters
--   $1 schema_name   text
--   $2 relation      text
--   $3 name          text   the column
--   $4 most_values   int4
--   $5 most_letters  int4   of one text
--   $6 most_rows     int4   rows that are looked at
-- columns
--   statement        text
SELECT
    FORMAT(
        $statement$
        SELECT
            CASE
                WHEN COUNT(*) <= %4$s AND MAX(LENGTH(d.value)) <= %5$s
                    THEN ARRAY_AGG(d.value ORDER BY d.value)
            END AS texts
        FROM (
            SELECT DISTINCT s.%3$I::text AS value
            FROM (SELECT r.%3$I FROM %1$I.%2$I AS r LIMIT %6$s) AS s
            WHERE s.%3$I IS NOT NULL
            LIMIT %4$s + 1
        ) AS d
        $statement$,
        $1::text,
        $2::text,
        $3::text,
        $4::int4,
        $5::int4,
        $6::int4
    ) AS statement;
