-- sample/remove_county: takes everything out of the county's tables, and says how much that was.
--
-- columns
--   records   int8
WITH removed_grids AS (
    DELETE FROM st_2_fanghuowangge AS p
    RETURNING p.id
),

removed_sources AS (
    DELETE FROM st_2_mpslfh_t_slfh_syd AS p
    RETURNING p.id
),

removed_tanks AS (
    DELETE FROM st_2_xianyouxushuichiguan AS p
    RETURNING p.id
),

removed_stations AS (
    DELETE FROM st_2_fanghuojianchazhan AS p
    RETURNING p.id
),

removed_lookouts AS (
    DELETE FROM st_2_fanghuoliaowangshao AS p
    RETURNING p.id
),

removed_passages AS (
    DELETE FROM st_2_xianyoufanghuotongdao AS p
    RETURNING p.id
),

removed_grounds AS (
    DELETE FROM st_2_mudifenqu_mian AS p
    RETURNING p.id
),

removed_works AS (
    DELETE FROM st_2_linqugongkuangqiye AS p
    RETURNING p.id
)

SELECT
    (SELECT COUNT(*) FROM removed_grids)
    + (SELECT COUNT(*) FROM removed_sources)
    + (SELECT COUNT(*) FROM removed_tanks)
    + (SELECT COUNT(*) FROM removed_stations)
    + (SELECT COUNT(*) FROM removed_lookouts)
    + (SELECT COUNT(*) FROM removed_passages)
    + (SELECT COUNT(*) FROM removed_grounds)
    + (SELECT COUNT(*) FROM removed_works) AS records;
