-- database/inspect_asking: who asks in this transaction, and what keeps that role from writing.
--
-- columns
--   login          text
--   role           text     that asks; the login itself where it takes on no other
--   is_read_only   bool     of the transaction
--   powers         text[]   attributes and memberships that no role that asks should have
--   writable       text[]   up to five relations and schemas that the role may write or create in
SELECT
    SESSION_USER::text AS login,
    CURRENT_USER::text AS role,
    CURRENT_SETTING('transaction_read_only') = 'on' AS is_read_only,
    ARRAY(
        SELECT p.power
        FROM (
            SELECT UNNEST(ARRAY[
                CASE WHEN me.rolsuper THEN 'SUPERUSER' END,
                CASE WHEN me.rolcreaterole THEN 'CREATEROLE' END,
                CASE WHEN me.rolcreatedb THEN 'CREATEDB' END,
                CASE WHEN me.rolreplication THEN 'REPLICATION' END,
                CASE WHEN me.rolbypassrls THEN 'BYPASSRLS' END
            ]) AS power
            FROM pg_catalog.pg_roles AS me
            WHERE me.rolname = CURRENT_USER
            UNION ALL
            SELECT g.rolname::text AS power
            FROM pg_catalog.pg_roles AS g
            WHERE
                g.rolname IN (
                    'pg_write_all_data', 'pg_read_all_data', 'pg_read_server_files', 'pg_write_server_files',
                    'pg_execute_server_program', 'pg_signal_backend', 'pg_maintain'
                )
                AND PG_HAS_ROLE(g.oid, 'MEMBER')
        ) AS p
        WHERE p.power IS NOT NULL
        ORDER BY p.power
    ) AS powers,
    ARRAY(
        SELECT w.written
        FROM (
            SELECT FORMAT('%I.%I', n.nspname, c.relname) AS written
            FROM pg_catalog.pg_class AS c
            INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
            WHERE
                c.relkind IN ('r', 'p', 'v', 'm', 'f')
                AND n.nspname !~ '^(pg_|information_schema$)'
                AND (
                    HAS_TABLE_PRIVILEGE(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
                    OR HAS_ANY_COLUMN_PRIVILEGE(c.oid, 'INSERT, UPDATE')
                )
            UNION ALL
            SELECT FORMAT('schema %I', n.nspname) AS written
            FROM pg_catalog.pg_namespace AS n
            WHERE n.nspname !~ '^(pg_|information_schema$)' AND HAS_SCHEMA_PRIVILEGE(n.oid, 'CREATE')
        ) AS w
        ORDER BY w.written
        LIMIT 5
    ) AS writable;
