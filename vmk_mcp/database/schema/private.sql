-- For databases of our own only: everybody's default rights are taken away, so that a role can do what it was
-- granted and nothing else. A foreign database is never changed like this.

DO $$
DECLARE
    writer regprocedure;
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    -- Everybody may make large objects and write messages into the WAL: both are writes that need no table.
    FOR writer IN
        SELECT p.oid
        FROM pg_catalog.pg_proc AS p
        WHERE
            p.pronamespace = 'pg_catalog'::regnamespace
            AND p.proname IN (
                'lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import', 'lo_open', 'lo_put', 'lo_truncate',
                'lo_truncate64', 'lo_unlink', 'lowrite', 'pg_logical_emit_message'
            )
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', writer);
    END LOOP;
END
$$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
