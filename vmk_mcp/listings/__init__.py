"""Real-estate listings: search by meaning, words and filters."""
