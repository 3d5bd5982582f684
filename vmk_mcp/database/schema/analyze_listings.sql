-- After many listings were written into a database that is not ours alone: see `analyze`.

ANALYZE public.property_listings, public.property_types;
