-- knowledge/name_index: the name of this database's index, which is made when it is first asked for.
--
-- parameters
--   $1 name   text   for one that has none yet
-- columns
--   name   text
INSERT INTO vmk_mcp.knowledge_index AS i (name)
VALUES ($1::text)
ON CONFLICT (is_the_one) DO UPDATE SET name = i.name
RETURNING i.name;
