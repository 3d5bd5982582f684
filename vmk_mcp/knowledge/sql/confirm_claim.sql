-- knowledge/confirm_claim: whether the index is kept for a folder, asked through the session that claimed it.
--
-- parameters
--   $1 root   text
-- columns
--   done   bool   no row: nobody has claimed it
SELECT i.root = $1::text AS done
FROM vmk_mcp.knowledge_index AS i;
