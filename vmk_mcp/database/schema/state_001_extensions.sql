-- What the tables of the knowledge index are built from.

CREATE EXTENSION vector;
