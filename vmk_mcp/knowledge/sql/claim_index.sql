-- knowledge/claim_index: keeps the index for a folder for as long as the session lasts.
--
-- parameters
--   $1 root   text
-- columns
--   done   bool   false: somebody keeps it for another folder
SELECT vmk_mcp.claim_knowledge($1::text) AS done;
