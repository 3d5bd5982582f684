-- ask/report_rejections: how many calls there were, by what became of them.
--
-- parameters
--   $1 since        timestamptz   null: since the first one
-- columns
--   reason_code     text          empty: it was run
--   queries         int8
SELECT
    l.reason_code,
    COUNT(*) AS queries
FROM query_log AS l
WHERE $1::timestamptz IS NULL OR l.asked_at >= $1::timestamptz
GROUP BY l.reason_code
ORDER BY queries DESC, l.reason_code;
