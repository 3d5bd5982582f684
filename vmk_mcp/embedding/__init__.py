"""Texts into vectors: one port, several embedders, a cache and a breaker in front."""
