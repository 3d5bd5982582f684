-- listings/list_property_types: the kinds of property, by id.
--
-- A live table may lack a column. Inside the LATERAL subquery the bare column names mean the table's own
-- columns where it has them, and otherwise those of `absent`: null.
--
-- columns
--   id     int4
--   slug   text   null: the live table has no slugs
--   name   text
SELECT
    t.id::int4 AS id,
    t.slug::text AS slug,
    t.name::text AS name
FROM (SELECT NULL::text AS slug) AS absent
CROSS JOIN LATERAL (
    SELECT
        id,
        slug,
        name
    FROM property_types
) AS t
ORDER BY t.id;
