-- The county's eight tables, under the names that live ones have: forest-fire places and areas.
--
-- Geometry is WGS 84, longitude and latitude (EPSG:4326), which live tables must have for the family to start. The
-- passages mix lines of two dimensions with such that carry a Z, so theirs is a plain `geometry`, of any kind. As in
-- live tables, geometry may be missing, empty or invalid: that is found by the audit and never mended.
--
-- Columns of people (`wanggeyuan`, `lianxidianhua`, `zerenren`, `dianhua`, `zhibanrenyuan`) are granted to nobody.

CREATE EXTENSION postgis SCHEMA public;

SET LOCAL ROLE vmk_owner;

CREATE TABLE public.st_2_fanghuowangge (
    id bigint PRIMARY KEY,
    mingcheng text,
    xiangzhen text,
    cun text,
    bianhao text,
    zhongdui text,
    mianji_gongqing double precision,
    wanggeyuan text,
    lianxidianhua text,
    geom public.geometry(multipolygon, 4326)
);

CREATE TABLE public.st_2_mpslfh_t_slfh_syd (
    id bigint PRIMARY KEY,
    mingcheng text,
    xiangzhen text,
    cun text,
    leixing text,
    rongliang_m3 double precision,
    zerenren text,
    dianhua text,
    geom public.geometry(point, 4326)
);

CREATE TABLE public.st_2_xianyouxushuichiguan (
    id bigint PRIMARY KEY,
    mingcheng text,
    xiangzhen text,
    cun text,
    leixing text,
    rongji_m3 double precision,
    geom public.geometry(point, 4326)
);

CREATE TABLE public.st_2_fanghuojianchazhan (
    id bigint PRIMARY KEY,
    mingcheng text,
    xiangzhen text,
    cun text,
    zhibanrenyuan text,
    dianhua text,
    geom public.geometry(point, 4326)
);

CREATE TABLE public.st_2_fanghuoliaowangshao (
    id bigint PRIMARY KEY,
    mingcheng text,
    xiangzhen text,
    cun text,
    haiba_m double precision,
    geom public.geometry(point, 4326)
);

CREATE TABLE public.st_2_xianyoufanghuotongdao (
    id bigint PRIMARY KEY,
    mingcheng text,
    xiangzhen text,
    cun text,
    leixing text,
    kuandu_m double precision,
    geom public.geometry
);

CREATE TABLE public.st_2_mudifenqu_mian (
    id bigint PRIMARY KEY,
    mingcheng text,
    xiangzhen text,
    cun text,
    mianji_gongqing double precision,
    geom public.geometry(multipolygon, 4326)
);

CREATE TABLE public.st_2_linqugongkuangqiye (
    id bigint PRIMARY KEY,
    mingcheng text,
    xiangzhen text,
    cun text,
    leixing text,
    geom public.geometry(multipolygon, 4326)
);

COMMENT ON TABLE public.st_2_fanghuowangge IS 'Fire grids';
COMMENT ON TABLE public.st_2_mpslfh_t_slfh_syd IS 'Water sources';
COMMENT ON TABLE public.st_2_xianyouxushuichiguan IS 'Water tanks and pools';
COMMENT ON TABLE public.st_2_fanghuojianchazhan IS 'Check stations';
COMMENT ON TABLE public.st_2_fanghuoliaowangshao IS 'Lookout posts';
COMMENT ON TABLE public.st_2_xianyoufanghuotongdao IS 'Fire passages';
COMMENT ON TABLE public.st_2_mudifenqu_mian IS 'Burial grounds';
COMMENT ON TABLE public.st_2_linqugongkuangqiye IS 'Works and mines in the forest';

DO $$
DECLARE
    relation text;
    meaning text[];
BEGIN
    FOREACH relation IN ARRAY ARRAY[
        'st_2_fanghuowangge', 'st_2_mpslfh_t_slfh_syd', 'st_2_xianyouxushuichiguan', 'st_2_fanghuojianchazhan',
        'st_2_fanghuoliaowangshao', 'st_2_xianyoufanghuotongdao', 'st_2_mudifenqu_mian', 'st_2_linqugongkuangqiye'
    ] LOOP
        FOREACH meaning SLICE 1 IN ARRAY ARRAY[
            ['mingcheng', 'name'], ['xiangzhen', 'town'], ['cun', 'village'],
            ['geom', 'longitude and latitude, WGS 84']
        ] LOOP
            EXECUTE format('COMMENT ON COLUMN public.%I.%I IS %L', relation, meaning[1], meaning[2]);
        END LOOP;
    END LOOP;
END
$$;

COMMENT ON COLUMN public.st_2_fanghuowangge.bianhao IS 'code';
COMMENT ON COLUMN public.st_2_fanghuowangge.zhongdui IS 'responsible squadron';
COMMENT ON COLUMN public.st_2_fanghuowangge.mianji_gongqing IS 'area, hectares';
COMMENT ON COLUMN public.st_2_mpslfh_t_slfh_syd.leixing IS 'kind of water source';
COMMENT ON COLUMN public.st_2_mpslfh_t_slfh_syd.rongliang_m3 IS 'capacity, cubic metres';
COMMENT ON COLUMN public.st_2_xianyouxushuichiguan.leixing IS 'kind of tank or pool';
COMMENT ON COLUMN public.st_2_xianyouxushuichiguan.rongji_m3 IS 'capacity, cubic metres';
COMMENT ON COLUMN public.st_2_fanghuoliaowangshao.haiba_m IS 'metres above sea';
COMMENT ON COLUMN public.st_2_xianyoufanghuotongdao.leixing IS 'kind of passage';
COMMENT ON COLUMN public.st_2_xianyoufanghuotongdao.kuandu_m IS 'width, metres';
COMMENT ON COLUMN public.st_2_mudifenqu_mian.mianji_gongqing IS 'area, hectares';
COMMENT ON COLUMN public.st_2_linqugongkuangqiye.leixing IS 'kind of works';

-- Which made-up county the tables hold, and how many records it has: one row once it is loaded whole.
CREATE TABLE vmk_mcp.county (
    is_the_only_row boolean PRIMARY KEY DEFAULT TRUE CHECK (is_the_only_row),
    edition text NOT NULL,
    records bigint NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now()
);

RESET ROLE;
