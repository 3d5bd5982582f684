"""Settings of databases and embedders."""

from typing import Final

from vmk_mcp.configuration.declaration import Declaration
from vmk_mcp.configuration.kinds import (
    DSN,
    OLLAMA_URL,
    RAW_TEXT,
    SECRET,
    TEXT,
    URL,
    choice,
    integer,
    seconds,
)

DATABASES: Final = (
    Declaration(
        "DATABASE_URL",
        "database.listings",
        DSN,
        "Database with the listings and with what `ask` may read; only ever read.",
        default_shown="the embedded server",
        parts=("DB_HOST", "DB_PORT", "DB_NAME", "DB_USER", "DB_PASSWORD"),
    ),
    Declaration(
        "SPATIAL_DATABASE_URL",
        "database.spatial",
        DSN,
        "PostGIS database with the eight tables of the spatial family; only ever read.",
        default_shown="the embedded server's PostGIS cluster",
        families=("spatial",),
    ),
    Declaration(
        "STATE_DATABASE_URL",
        "database.state",
        DSN,
        "Database for our own tables (index, query log, records), which `vmk-mcp init-db --state` makes.",
        default_shown="the embedded server",
        families=("knowledge", "ask"),
    ),
    Declaration(
        "DB_POOL_MIN_SIZE",
        "database.pool_min_size",
        integer(1, 1000),
        "Connections that are opened at start; more when they are needed. All are kept.",
        default=5,
        default_shown="5, or DB_POOL_MAX_SIZE if that is less",
        unit="connections",
        aliases=("DB_POOL_MIN",),
    ),
    Declaration(
        "DB_POOL_MAX_SIZE",
        "database.pool_max_size",
        integer(1, 1000),
        "Most connections to one database.",
        default=5,
        default_shown="5, or DB_POOL_MIN_SIZE if that is more",
        unit="connections",
        aliases=("DB_POOL_MAX",),
    ),
    Declaration(
        "DB_QUERY_TIMEOUT",
        "database.query_timeout_s",
        seconds(),
        "Time that one statement may run; Postgres itself ends it.",
        default=30.0,
        unit="seconds",
        aliases=("QUERY_TIMEOUT_SEC",),
    ),
    Declaration(
        "DB_POOLER",
        "database.pooler",
        choice("none", "transaction"),
        "What pools connections to DATABASE_URL and SPATIAL_DATABASE_URL: transaction is pgbouncer in "
        "transaction mode and its like, where each call is a transaction that sets its own limits.",
        default="none",
    ),
)

EMBEDDING: Final = (
    Declaration(
        "EMBEDDER",
        "embedding.embedder",
        choice("local", "ollama", "openai"),
        "What turns a query into a vector.",
        default_shown="local with the embedded server, ollama with a DATABASE_URL",
    ),
    Declaration(
        "DATA_EMBED_MODEL",
        "embedding.data_model",
        TEXT,
        "Model that made the vectors in the listings database.",
        default_shown="nomic-embed-text with a DATABASE_URL; the embedded server records it",
    ),
    Declaration(
        "EMBED_QUERY_PREFIX",
        "embedding.query_prefix",
        RAW_TEXT,
        "Put before each query; quote it in a .env file, for blanks count. Empty: none.",
        default_shown="by model",
    ),
    Declaration(
        "EMBED_DOCUMENT_PREFIX",
        "embedding.document_prefix",
        RAW_TEXT,
        "Put before each document; quote it in a .env file, for blanks count. Empty: none.",
        default_shown="by model",
    ),
    Declaration(
        "OLLAMA_BASE_URL",
        "embedding.ollama_url",
        OLLAMA_URL,
        "Address of Ollama.",
        default="http://127.0.0.1:11434",
        aliases=("OLLAMA_HOST",),
    ),
    Declaration(
        "OLLAMA_EMBED_MODEL",
        "embedding.ollama_model",
        TEXT,
        "Model that Ollama embeds with.",
        default="nomic-embed-text",
        aliases=("OLLAMA_MODEL",),
    ),
    Declaration(
        "OLLAMA_EMBED_DIMENSIONS",
        "embedding.dimensions",
        integer(1, 2000),
        "Length that each vector must have; 2,000 is the most that an HNSW index takes.",
        default=768,
        unit="numbers",
    ),
    Declaration(
        "OLLAMA_REQUEST_TIMEOUT",
        "embedding.request_timeout_s",
        seconds(),
        "Time that one request to an embedder may take.",
        default=60.0,
        unit="seconds",
        aliases=("OLLAMA_TIMEOUT_SEC",),
    ),
    Declaration(
        "EMBED_BASE_URL",
        "embedding.openai_url",
        URL,
        "Address of an OpenAI-compatible server, with or without /v1.",
    ),
    Declaration("EMBED_API_KEY", "embedding.openai_key", SECRET, "Key for the OpenAI-compatible embedder."),
    Declaration("EMBED_MODEL", "embedding.openai_model", TEXT, "Model of the OpenAI-compatible embedder."),
)
