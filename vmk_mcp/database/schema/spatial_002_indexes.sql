-- Indexes by which places are found. They hold only what may be answered with: a query that says the same two things,
--
--     NOT ST_IsEmpty(t.geom) AND ST_IsValid(t.geom)
--
-- uses them, and neither is computed again for a row that is found so (a missing geometry fails the first). They serve
--
--     nearest first       ORDER BY ST_Force2D(t.geom)::geography <-> <a point's geography>
--     within a radius     ST_DWithin(ST_Force2D(t.geom)::geography, <a point's geography>, <metres>)
--     covers a point      ST_Covers(t.geom, <a point>), of grids, burial grounds and works
--     by name             t.mingcheng % $1, LIKE, also of town and village

SET LOCAL ROLE vmk_owner;

CREATE INDEX ix_fanghuowangge_geography ON public.st_2_fanghuowangge
USING gist ((public.st_force2d(geom)::public.geography))
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_mpslfh_t_slfh_syd_geography ON public.st_2_mpslfh_t_slfh_syd
USING gist ((public.st_force2d(geom)::public.geography))
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_xianyouxushuichiguan_geography ON public.st_2_xianyouxushuichiguan
USING gist ((public.st_force2d(geom)::public.geography))
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_fanghuojianchazhan_geography ON public.st_2_fanghuojianchazhan
USING gist ((public.st_force2d(geom)::public.geography))
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_fanghuoliaowangshao_geography ON public.st_2_fanghuoliaowangshao
USING gist ((public.st_force2d(geom)::public.geography))
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_xianyoufanghuotongdao_geography ON public.st_2_xianyoufanghuotongdao
USING gist ((public.st_force2d(geom)::public.geography))
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_mudifenqu_mian_geography ON public.st_2_mudifenqu_mian
USING gist ((public.st_force2d(geom)::public.geography))
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_linqugongkuangqiye_geography ON public.st_2_linqugongkuangqiye
USING gist ((public.st_force2d(geom)::public.geography))
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_fanghuowangge_geom ON public.st_2_fanghuowangge USING gist (geom)
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_mudifenqu_mian_geom ON public.st_2_mudifenqu_mian USING gist (geom)
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_linqugongkuangqiye_geom ON public.st_2_linqugongkuangqiye USING gist (geom)
WHERE NOT public.st_isempty(geom) AND public.st_isvalid(geom);

CREATE INDEX ix_fanghuowangge_words ON public.st_2_fanghuowangge
USING gin (mingcheng public.gin_trgm_ops, xiangzhen public.gin_trgm_ops, cun public.gin_trgm_ops);

CREATE INDEX ix_mpslfh_t_slfh_syd_words ON public.st_2_mpslfh_t_slfh_syd
USING gin (mingcheng public.gin_trgm_ops, xiangzhen public.gin_trgm_ops, cun public.gin_trgm_ops);

CREATE INDEX ix_xianyouxushuichiguan_words ON public.st_2_xianyouxushuichiguan
USING gin (mingcheng public.gin_trgm_ops, xiangzhen public.gin_trgm_ops, cun public.gin_trgm_ops);

CREATE INDEX ix_fanghuojianchazhan_words ON public.st_2_fanghuojianchazhan
USING gin (mingcheng public.gin_trgm_ops, xiangzhen public.gin_trgm_ops, cun public.gin_trgm_ops);

CREATE INDEX ix_fanghuoliaowangshao_words ON public.st_2_fanghuoliaowangshao
USING gin (mingcheng public.gin_trgm_ops, xiangzhen public.gin_trgm_ops, cun public.gin_trgm_ops);

CREATE INDEX ix_xianyoufanghuotongdao_words ON public.st_2_xianyoufanghuotongdao
USING gin (mingcheng public.gin_trgm_ops, xiangzhen public.gin_trgm_ops, cun public.gin_trgm_ops);

CREATE INDEX ix_mudifenqu_mian_words ON public.st_2_mudifenqu_mian
USING gin (mingcheng public.gin_trgm_ops, xiangzhen public.gin_trgm_ops, cun public.gin_trgm_ops);

CREATE INDEX ix_linqugongkuangqiye_words ON public.st_2_linqugongkuangqiye
USING gin (mingcheng public.gin_trgm_ops, xiangzhen public.gin_trgm_ops, cun public.gin_trgm_ops);

RESET ROLE;
