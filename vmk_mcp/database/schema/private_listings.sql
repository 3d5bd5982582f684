-- For our own database of listings only: the reader sees all that lies in it, also what is added later.

GRANT USAGE ON SCHEMA vmk_mcp TO vmk_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO vmk_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA vmk_mcp TO vmk_reader;

ALTER DEFAULT PRIVILEGES FOR ROLE vmk_owner IN SCHEMA public GRANT SELECT ON TABLES TO vmk_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE vmk_owner IN SCHEMA vmk_mcp GRANT SELECT ON TABLES TO vmk_reader;
