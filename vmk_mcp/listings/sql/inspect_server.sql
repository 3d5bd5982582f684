-- listings/inspect_server: what the live server offers to the searches.
--
-- columns
--   server_version          int4   server_version_num
--   vector_version          text   null: no extension vector
--   has_trigrams            bool
--   has_ukrainian           bool   a text search configuration of that name exists
--   has_property_listings   bool   it is there and may be read
--   has_property_types      bool   it is there and may be read
--   is_superuser            bool   the login could write anything
--   has_inline_vectors      bool   vectors stand in the row itself, not in a TOAST table
SELECT
    CURRENT_SETTING('server_version_num')::int4 AS server_version,
    (
        SELECT e.extversion::text
        FROM pg_catalog.pg_extension AS e
        WHERE e.extname = 'vector'
    ) AS vector_version,
    EXISTS(
        SELECT 1
        FROM pg_catalog.pg_extension AS e
        WHERE e.extname = 'pg_trgm'
    ) AS has_trigrams,
    EXISTS(
        SELECT 1
        FROM pg_catalog.pg_ts_config AS c
        WHERE c.cfgname = 'ukrainian' AND PG_TS_CONFIG_IS_VISIBLE(c.oid)
    ) AS has_ukrainian,
    COALESCE(HAS_TABLE_PRIVILEGE(TO_REGCLASS('property_listings'), 'SELECT'), FALSE) AS has_property_listings,
    COALESCE(HAS_TABLE_PRIVILEGE(TO_REGCLASS('property_types'), 'SELECT'), FALSE) AS has_property_types,
    COALESCE(
        (
            SELECT r.rolsuper
            FROM pg_catalog.pg_roles AS r
            WHERE r.rolname = CURRENT_USER
        ),
        FALSE
    ) AS is_superuser,
    EXISTS(
        SELECT 1
        FROM pg_catalog.pg_attribute AS a
        WHERE
            a.attrelid = TO_REGCLASS('property_listings')
            AND a.attname = 'embedding'
            AND a.attstorage = 'p'
    ) AS has_inline_vectors;
