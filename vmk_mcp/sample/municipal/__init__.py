"""A made-up city's permit office, the same on every machine for the same seed."""
