-- What vmk-mcp may do in the municipal sample: ask. Every table of it is open.

DO $$
BEGIN
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO vmk_ask', current_database());
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

GRANT USAGE ON SCHEMA public TO vmk_ask;

GRANT SELECT ON
public.neighborhoods, public.departments, public.inspectors, public.properties, public.contractors,
public.licenses, public.permits, public.inspections, public.violations, public.payments, public.complaints,
public.hearings
TO vmk_ask;
