-- Indexes for the searches, and statistics for the planner's estimate, by which a search is routed.
--
-- Names that the seed gives are kept. Enumerations of three to six values (deal_type, currency, renovation_status)
-- have no index of their own: a third of the table is not found faster through one.

SET LOCAL ROLE vmk_owner;

CREATE INDEX property_listings_embedding_idx
ON public.property_listings USING hnsw (embedding public.vector_cosine_ops);

CREATE INDEX property_listings_search_vector_idx
ON public.property_listings USING gin (search_vector);

-- One index for the three columns that the substring search looks into; it takes their union by bitmaps.
CREATE INDEX ix_property_listings_text_trgm
ON public.property_listings USING gin (
    title public.gin_trgm_ops, description public.gin_trgm_ops, address_raw public.gin_trgm_ops
);

-- What nearly every search asks: active listings of one city, of one kind of deal, within a price in a currency
-- (bounds are converted, so there is one range for each currency).
CREATE INDEX ix_property_listings_active_city_price
ON public.property_listings (city, deal_type, currency, price)
WHERE listing_status = 'active';

-- Prices without a city.
CREATE INDEX ix_property_listings_active_price
ON public.property_listings (currency, price)
WHERE listing_status = 'active';

-- The newest first, without a sort.
CREATE INDEX ix_property_listings_active_publish_date
ON public.property_listings (publish_date DESC NULLS LAST, id)
WHERE listing_status = 'active';

CREATE INDEX ix_property_listings_city ON public.property_listings (city);
CREATE INDEX ix_property_listings_district ON public.property_listings (district);
CREATE INDEX ix_property_listings_metro_station ON public.property_listings (metro_station);
CREATE INDEX ix_property_listings_price ON public.property_listings (price);
CREATE INDEX ix_property_listings_property_type_id ON public.property_listings (property_type_id, rooms_count);
CREATE INDEX ix_property_listings_total_area ON public.property_listings (total_area);
CREATE INDEX ix_property_listings_publish_date ON public.property_listings (publish_date);
CREATE INDEX ix_property_listings_listing_status ON public.property_listings (listing_status);
CREATE INDEX ix_property_listings_place ON public.property_listings (latitude, longitude);

-- A district lies in one city, a station in one district: taken as independent, they are underestimated a hundredfold.
CREATE STATISTICS public.property_listings_place_statistics (dependencies, mcv)
ON city, district, metro_station, deal_type FROM public.property_listings;

CREATE STATISTICS public.property_listings_price_statistics (dependencies, mcv)
ON deal_type, currency, listing_status, property_type_id, rooms_count FROM public.property_listings;

RESET ROLE;
