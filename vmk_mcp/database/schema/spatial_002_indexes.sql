-- Indexes by which places are found. They hold only what may be answered with: a query that says the same two things,
--
--     NOT ST_IsEmpty(t.geom) AND ST_IsValid(t.geom)
--
-- uses them, and neither is computed again for a row that is found so (a missing geometry fails the first). They serve
--
--     nearest first       ORDER BY ST_Force2D(t.geom)::geography <-> <a point's geography>
--     within a radius     ST_DWithin(ST_Force2D(t.geom)::geography, <a point's geography>, <metres>)
--     covers a point      ST_Covers(t.geom, <a point>), of grids, burial grounds and works
--
-- None is for names: those are looked for by pairs of characters, and trigrams find nothing of two.

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

RESET ROLE;
