-- Where the service may not vacuum the index itself (before PostgreSQL 17 nobody can be granted that), the
-- server does it, sooner than by its usual fifth of all rows: a dropped generation leaves as many dead ones.

SET LOCAL ROLE vmk_owner;

ALTER TABLE vmk_mcp.knowledge_files SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE vmk_mcp.knowledge_chunks SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE vmk_mcp.knowledge_touched SET (autovacuum_vacuum_scale_factor = 0.05);

RESET ROLE;
