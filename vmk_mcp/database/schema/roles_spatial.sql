-- What vmk-mcp may do in the database of forest-fire places: read. To be run there by a superuser or the owner of the
-- tables with CREATEROLE; it may be run again at any time.
--
-- vmk_reader  SELECT on the open columns of the eight tables: the tools of the spatial family
-- vmk_ask     the same: questions in words
--
-- Names of people, telephone numbers and who is on duty are open to neither. Both also use PostGIS, whose functions and
-- `spatial_ref_sys` are open to everybody by its own default.
--
-- Then give each a password: ALTER ROLE vmk_reader PASSWORD '...'; ALTER ROLE vmk_ask PASSWORD '...';
-- Everybody may make temporary tables by PostgreSQL's default. To close that for all who have no right of their own:
-- REVOKE TEMPORARY ON DATABASE <this database> FROM PUBLIC;

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['vmk_reader', 'vmk_ask'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', wanted);
        END IF;
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), wanted);
        EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', wanted);
        -- What connections ask for themselves, for those behind a pooler that drops it.
        EXECUTE format('ALTER ROLE %I SET default_transaction_read_only = on', wanted);
        EXECUTE format('ALTER ROLE %I SET search_path = public', wanted);
        EXECUTE format('ALTER ROLE %I SET statement_timeout = %L', wanted, '30s');
        EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = %L', wanted, '10s');
        EXECUTE format('ALTER ROLE %I SET plan_cache_mode = force_custom_plan', wanted);
        EXECUTE format('ALTER ROLE %I SET jit = off', wanted);
    END LOOP;
END
$$;

-- A superuser alone may bound the disk that sorts and hashes of a question take.
DO $$
BEGIN
    IF current_setting('is_superuser') = 'on' THEN
        ALTER ROLE vmk_ask SET temp_file_limit = '256MB';
    END IF;
END
$$;

-- A live table may be missing, lack a column of these, or hold further ones, which stay closed.
DO $$
DECLARE
    relation text;
    open_columns text;
BEGIN
    FOREACH relation IN ARRAY ARRAY[
        'st_2_fanghuowangge', 'st_2_mpslfh_t_slfh_syd', 'st_2_xianyouxushuichiguan', 'st_2_fanghuojianchazhan',
        'st_2_fanghuoliaowangshao', 'st_2_xianyoufanghuotongdao', 'st_2_mudifenqu_mian', 'st_2_linqugongkuangqiye'
    ] LOOP
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
        INTO open_columns
        FROM pg_catalog.pg_attribute AS a
        WHERE
            a.attrelid = to_regclass(format('public.%I', relation))
            AND NOT a.attisdropped
            AND a.attname = ANY(ARRAY[
                'id', 'mingcheng', 'xiangzhen', 'cun', 'geom', 'bianhao', 'zhongdui', 'mianji_gongqing',
                'leixing', 'rongliang_m3', 'rongji_m3', 'haiba_m', 'kuandu_m'
            ]);
        IF open_columns IS NOT NULL THEN
            EXECUTE format('REVOKE ALL ON public.%I FROM vmk_reader, vmk_ask', relation);
            EXECUTE format('GRANT SELECT (%s) ON public.%I TO vmk_reader, vmk_ask', open_columns, relation);
        END IF;
    END LOOP;
END
$$;
