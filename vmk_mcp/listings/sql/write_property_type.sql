-- listings/write_property_type: writes one kind of property, or writes over the one of the same id.
--
-- parameters
--   $1 id            int4
--   $2 slug          text
--   $3 name          text
--   $4 description   text
-- columns
--   id   int4
INSERT INTO property_types (id, slug, name, description)
VALUES ($1::int4, $2::text, $3::text, $4::text)
ON CONFLICT (id) DO UPDATE
SET
    slug = excluded.slug,
    name = excluded.name,
    description = excluded.description
RETURNING property_types.id;
