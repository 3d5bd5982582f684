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
--   has_inline_vectors      bool   vectors (3 KB each) stand in the row itself, not in a TOAST table
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
    -- A column's storage holds for what is written from then on, and sizes tell what is there.
    COALESCE(
        (
            SELECT
                CASE
                    WHEN c.reltuples > 0
                        THEN
                            COALESCE(PG_RELATION_SIZE(NULLIF(c.reltoastrelid, 0)), 0) / c.reltuples < 2500
                            OR PG_RELATION_SIZE(c.oid) / c.reltuples > 3000
                    ELSE a.attstorage IN ('p', 'm')
                END
            FROM pg_catalog.pg_class AS c
            INNER JOIN pg_catalog.pg_attribute AS a ON c.oid = a.attrelid
            WHERE c.oid = TO_REGCLASS('property_listings') AND a.attname = 'embedding'
        ),
        FALSE
    ) AS has_inline_vectors;
