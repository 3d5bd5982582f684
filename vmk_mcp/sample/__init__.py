"""Made-up data for the embedded default; no real person's data in it."""
