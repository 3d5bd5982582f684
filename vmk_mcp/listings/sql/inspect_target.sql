-- listings/inspect_target: whether listings may be written here, and what tells this table from all others.
--
-- columns
--   is_own         bool   the database is ours: it notes which model made the vectors
--   is_read_only   bool   the session, or the server, takes no writes
--   may_write      bool   listings may be read, added and changed
--   may_add_types  bool   the same for kinds of property
--   identity       text   another one once the table was made anew or emptied at a stroke
SELECT
    TO_REGCLASS('vmk_mcp.embedding_model') IS NOT NULL AS is_own,
    CURRENT_SETTING('transaction_read_only')::bool AS is_read_only,
    COALESCE(
        HAS_TABLE_PRIVILEGE(TO_REGCLASS('property_listings'), 'SELECT')
        AND HAS_TABLE_PRIVILEGE(TO_REGCLASS('property_listings'), 'INSERT')
        AND HAS_TABLE_PRIVILEGE(TO_REGCLASS('property_listings'), 'UPDATE'),
        FALSE
    ) AS may_write,
    COALESCE(
        HAS_TABLE_PRIVILEGE(TO_REGCLASS('property_types'), 'INSERT')
        AND HAS_TABLE_PRIVILEGE(TO_REGCLASS('property_types'), 'UPDATE'),
        FALSE
    ) AS may_add_types,
    FORMAT(
        '%s/%s/%s',
        (
            SELECT d.oid
            FROM pg_catalog.pg_database AS d
            WHERE d.datname = CURRENT_DATABASE()
        ),
        TO_REGCLASS('property_listings')::oid,
        PG_RELATION_FILENODE(TO_REGCLASS('property_listings'))
    ) AS identity;
