-- What vmk-mcp may do in its own database (knowledge index, query log, records): vmk_owner makes the tables,
-- and vmk_writer, by which the service connects, writes and makes tables for new generations of the index. To
-- be run there by a superuser or the owner with CREATEROLE, again at any time.
--
-- Then give both a password: ALTER ROLE vmk_owner PASSWORD '...'; ALTER ROLE vmk_writer PASSWORD '...';
-- as a superuser have the vectors' type made: CREATE EXTENSION vector;
-- and have the tables made: vmk-mcp init-db --state postgresql://vmk_owner:...@host/database

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'vmk_owner') THEN
        CREATE ROLE vmk_owner LOGIN;
    END IF;
    EXECUTE format('GRANT CONNECT, CREATE ON DATABASE %I TO vmk_owner', current_database());
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'vmk_writer') THEN
        CREATE ROLE vmk_writer LOGIN;
    END IF;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO vmk_writer', current_database());
END
$$;

GRANT USAGE, CREATE ON SCHEMA public TO vmk_owner;
GRANT USAGE, CREATE ON SCHEMA public TO vmk_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO vmk_writer;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO vmk_writer;

-- Our own tables lie in a schema of their own, whose ledger of scripts stays closed.
DO $$
DECLARE
    ours regclass;
BEGIN
    IF to_regnamespace('vmk_mcp') IS NOT NULL THEN
        GRANT USAGE, CREATE ON SCHEMA vmk_mcp TO vmk_writer;
        FOR ours IN
            SELECT c.oid
            FROM pg_catalog.pg_class AS c
            WHERE
                c.relnamespace = to_regnamespace('vmk_mcp')
                AND c.relkind IN ('r', 'p')
                AND c.relname <> 'applied_scripts'
                -- Those of generations are the writer's own.
                AND pg_has_role(current_user, c.relowner, 'USAGE')
        LOOP
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO vmk_writer', ours);
            -- A generation that is dropped leaves its room to the next one only once it is vacuumed. Older servers
            -- know no such right: there their own vacuum comes to it.
            IF current_setting('server_version_num')::int4 >= 170000 THEN
                EXECUTE format('GRANT MAINTAIN ON %s TO vmk_writer', ours);
            END IF;
        END LOOP;
    END IF;
END
$$;
