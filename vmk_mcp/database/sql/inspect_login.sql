-- database/inspect_login: who is connected, and whether that login may ask.
--
-- parameters
--   $1 role           text   the role that is to ask where the login is another one
-- columns
--   login             text
--   is_superuser      bool   of the login, whatever role it has taken on
--   may_take_role     bool
SELECT
    SESSION_USER::text AS login,
    r.rolsuper AS is_superuser,
    COALESCE(PG_HAS_ROLE(SESSION_USER, a.oid, 'MEMBER'), FALSE) AS may_take_role
FROM pg_catalog.pg_roles AS r
LEFT JOIN pg_catalog.pg_roles AS a ON a.rolname = $1::text
WHERE r.rolname = SESSION_USER;
