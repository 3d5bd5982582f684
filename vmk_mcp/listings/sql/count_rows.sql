-- listings/count_rows: live row count of each of the two tables.
--
-- columns
--   property_listings   int8
--   property_types      int8
SELECT
    (SELECT COUNT(*) FROM property_listings) AS property_listings,
    (SELECT COUNT(*) FROM property_types) AS property_types;
