-- What vmk-mcp may do in the database of listings: read. To be run there by a superuser or the owner of the
-- tables with CREATEROLE; it may be run again at any time.
--
-- vmk_reader  SELECT on the two tables: searches
-- vmk_ask     SELECT on the open columns: questions in words; no contacts, no internal columns
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

-- pgvector's own settings, and a bound on the disk that a question takes, are a superuser's to give.
DO $$
BEGIN
    IF current_setting('is_superuser') = 'on' THEN
        ALTER ROLE vmk_reader SET hnsw.ef_search = 200;
        ALTER ROLE vmk_reader SET hnsw.iterative_scan = relaxed_order;
        ALTER ROLE vmk_reader SET hnsw.max_scan_tuples = 200000;
        ALTER ROLE vmk_reader SET hnsw.scan_mem_multiplier = 4;
        ALTER ROLE vmk_ask SET temp_file_limit = '256MB';
    END IF;
END
$$;

-- Hosted servers keep extensions in a schema of their own, whose types and operators the searches need.
DO $$
DECLARE
    home regnamespace;
BEGIN
    FOR home IN
        SELECT DISTINCT e.extnamespace::regnamespace FROM pg_catalog.pg_extension AS e
        WHERE e.extname IN ('vector', 'pg_trgm')
            AND NOT has_schema_privilege('vmk_reader', e.extnamespace, 'USAGE')
    LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %s TO vmk_reader', home);
    END LOOP;
END
$$;

GRANT SELECT ON public.property_listings TO vmk_reader;

DO $$
BEGIN
    IF to_regclass('public.property_types') IS NOT NULL THEN
        GRANT SELECT ON public.property_types TO vmk_reader, vmk_ask;
    END IF;
END
$$;

-- A live table may lack a column of these, or hold further ones, which stay closed.
DO $$
DECLARE
    open_columns text;
BEGIN
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
    INTO open_columns
    FROM pg_catalog.pg_attribute AS a
    WHERE
        a.attrelid = to_regclass('public.property_listings')
        AND NOT a.attisdropped
        AND a.attname = ANY(ARRAY[
            'id', 'title', 'description', 'generated_description', 'price', 'currency', 'deal_type',
            'property_type_id', 'city', 'district', 'address_raw', 'latitude', 'longitude', 'rooms_count',
            'total_area', 'living_area', 'kitchen_area', 'floor', 'floors_count', 'building_type',
            'building_year', 'renovation_status', 'balcony_count', 'bathroom_type', 'parking_type',
            'heating_type', 'layout_type', 'window_view', 'metro_station', 'metro_distance_type',
            'metro_distance_meters', 'url_source', 'publish_date', 'images_count', 'listing_status',
            'archived_at', 'created_at', 'updated_at'
        ]);
    REVOKE ALL ON public.property_listings FROM vmk_ask;
    EXECUTE format('GRANT SELECT (%s) ON public.property_listings TO vmk_ask', open_columns);
END
$$;
