"""Databases that may be asked: what their files say, and what is open in them right now."""
