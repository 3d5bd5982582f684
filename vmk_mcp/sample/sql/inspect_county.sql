-- sample/inspect_county: which made-up county is on record, and whether its tables hold all of it.
--
-- columns
--   edition   text   null: none was ever loaded whole
--   records   int8   how many it had then
--   found     int8   how many there are
SELECT
    c.edition,
    c.records,
    t.found
FROM (
    SELECT
        (SELECT COUNT(*) FROM st_2_fanghuowangge)
        + (SELECT COUNT(*) FROM st_2_mpslfh_t_slfh_syd)
        + (SELECT COUNT(*) FROM st_2_xianyouxushuichiguan)
        + (SELECT COUNT(*) FROM st_2_fanghuojianchazhan)
        + (SELECT COUNT(*) FROM st_2_fanghuoliaowangshao)
        + (SELECT COUNT(*) FROM st_2_xianyoufanghuotongdao)
        + (SELECT COUNT(*) FROM st_2_mudifenqu_mian)
        + (SELECT COUNT(*) FROM st_2_linqugongkuangqiye) AS found
) AS t
LEFT JOIN vmk_mcp.county AS c ON TRUE;
