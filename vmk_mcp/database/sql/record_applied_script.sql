-- database/record_applied_script: notes that a schema script was applied, in place of an older wording.
--
-- parameters
--   $1 name       text
--   $2 checksum   text   SHA-256 of the script, hexadecimal
-- columns
--   name          text
--   checksum      text
INSERT INTO vmk_mcp.applied_scripts AS s (name, checksum)
VALUES ($1::text, $2::text)
ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied_at = NOW()
RETURNING
    s.name,
    s.checksum;
