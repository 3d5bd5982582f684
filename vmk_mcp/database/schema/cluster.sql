-- Once a cluster, as superuser, whenever scripts are applied: all logins, and closed doors where PostgreSQL leaves
-- them open to everybody. What a login may do in a database is said by that database's scripts.

-- Only one session prepares at a time; the others wait here until that one ends.
SELECT pg_advisory_lock(hashtextextended('vmk-mcp: preparation', 0));

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['vmk_owner', 'vmk_reader', 'vmk_ask', 'vmk_writer'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', wanted);
        END IF;
    END LOOP;
END
$$;

REVOKE ALL ON DATABASE postgres FROM PUBLIC;
REVOKE ALL ON DATABASE template1 FROM PUBLIC;
