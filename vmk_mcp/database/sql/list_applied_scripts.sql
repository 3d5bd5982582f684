-- database/list_applied_scripts: which schema scripts this database has seen, and in which wording.
--
-- columns
--   name       text
--   checksum   text   SHA-256 of the script, hexadecimal
SELECT
    s.name,
    s.checksum
FROM vmk_mcp.applied_scripts AS s
ORDER BY s.name;
