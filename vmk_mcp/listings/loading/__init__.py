"""People's own listings into the tables: read, mapped, coerced, written in batches, and given vectors."""
