-- listings/list_property_types: the kinds of property, by id.
--
-- columns
--   id            int4
--   slug          text
--   name          text
SELECT
    t.id::int4 AS id,
    t.slug::text AS slug,
    t.name::text AS name
FROM property_types AS t
ORDER BY t.id;
