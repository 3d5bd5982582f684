-- After the made-up county was written: the planner chooses indexes by these statistics. Each table by its name, for
-- the owner of these may not analyze the catalog, and is told so in a hundred lines of the server's log.

ANALYZE
    public.st_2_fanghuowangge,
    public.st_2_mpslfh_t_slfh_syd,
    public.st_2_xianyouxushuichiguan,
    public.st_2_fanghuojianchazhan,
    public.st_2_fanghuoliaowangshao,
    public.st_2_xianyoufanghuotongdao,
    public.st_2_mudifenqu_mian,
    public.st_2_linqugongkuangqiye;
