"""Postgres: pools, fixed SQL files, the embedded server, schema and roles."""
