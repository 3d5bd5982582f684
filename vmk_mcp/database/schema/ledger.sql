-- Which scripts a database of ours has seen. A foreign database never has this schema.

CREATE SCHEMA IF NOT EXISTS vmk_mcp AUTHORIZATION vmk_owner;

CREATE TABLE IF NOT EXISTS vmk_mcp.applied_scripts (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
