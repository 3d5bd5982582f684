"""Spatial: forest-fire places, answered from PostGIS within each token's towns."""
