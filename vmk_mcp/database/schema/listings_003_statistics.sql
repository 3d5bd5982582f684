-- A statistic of places that knows every district: by its hundred most frequent values, over four columns, a city
-- with a district was underestimated fourfold (on 100,000 rows 3,442 instead of 13,716; now 13,844), and a search
-- took the wrong route.

SET LOCAL ROLE vmk_owner;

DROP STATISTICS public.property_listings_place_statistics;

CREATE STATISTICS public.property_listings_place_statistics (mcv)
ON city, district FROM public.property_listings;

ALTER STATISTICS public.property_listings_place_statistics SET STATISTICS 400;

RESET ROLE;
