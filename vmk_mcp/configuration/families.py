"""Settings of the families: listings, knowledge, ask."""

from typing import Final

from vmk_mcp.configuration.declaration import Declaration
from vmk_mcp.configuration.kinds import (
    DSN,
    PATH,
    RATES,
    SECRET,
    SWITCH,
    TEXT,
    URL,
    WORDS,
    choice,
    integer,
    number,
    seconds,
)

_DRIVERS: Final = (
    "none; the drafter is the first that is set up of Anthropic and OpenAI, else the offline one"
)

LISTINGS: Final = (
    Declaration(
        "MAX_LIMIT",
        "listings.max_limit",
        integer(1, 100),
        "Most results on a page; more is an error that names this limit.",
        default=100,
        unit="results",
    ),
    Declaration(
        "PRICE_CURRENCY",
        "listings.price_currency",
        choice("USD", "EUR", "UAH"),
        "Currency of price bounds and price order where a call names none.",
        default="USD",
    ),
    Declaration(
        "FX_RATES",
        "listings.fx_rates",
        RATES,
        'Dated rates per dollar: {"date": "2026-01-31", "UAH": 42.5, "EUR": 0.92}.',
        default_shown="the sample's for the embedded server, none for a DATABASE_URL",
    ),
)

KNOWLEDGE: Final = (
    Declaration(
        "VECTOR_SEARCH_ENABLED", "knowledge.enabled", SWITCH, "Serve the knowledge family.", default=True
    ),
    Declaration(
        "VECTOR_EMBEDDING_PROVIDER",
        "knowledge.embedder",
        choice("local", "ollama", "openai", "infinity", "sentence_transformers"),
        "What turns documents and questions into vectors.",
        default="local",
    ),
    Declaration(
        "VECTOR_EMBEDDING_MODEL",
        "knowledge.model",
        TEXT,
        "Model of that embedder.",
        default_shown="by provider",
    ),
    Declaration(
        "VECTOR_STORE_PROVIDER",
        "knowledge.store",
        choice("pgvector", "faiss", "qdrant"),
        "Where the vectors are searched.",
        default="pgvector",
    ),
    Declaration(
        "VECTOR_QDRANT_URL",
        "knowledge.qdrant_url",
        URL,
        "Address of the Qdrant server, where VECTOR_STORE_PROVIDER is qdrant.",
        default_shown="a folder in DATA_DIR, for one process",
    ),
    Declaration("VECTOR_QDRANT_API_KEY", "knowledge.qdrant_key", SECRET, "Key for the Qdrant server."),
    Declaration(
        "VECTOR_CHUNKING_STRATEGY",
        "knowledge.chunking",
        choice("fixed_size", "fixed_size_overlap", "semantic"),
        "How documents are cut into chunks.",
        default="fixed_size_overlap",
    ),
    Declaration(
        "VECTOR_CHUNK_SIZE",
        "knowledge.chunk_size",
        integer(16, 8192),
        "Most tokens of a chunk, overlap counted.",
        default=512,
        unit="tokens",
    ),
    Declaration(
        "VECTOR_CHUNK_OVERLAP",
        "knowledge.chunk_overlap",
        integer(0, 4096),
        "Tokens that a chunk shares with the one before; less than VECTOR_CHUNK_SIZE.",
        default=50,
        unit="tokens",
    ),
    Declaration(
        "VECTOR_RESPECT_HEADERS",
        "knowledge.by_headings",
        SWITCH,
        "Cut Markdown at its headings, so that no chunk goes over from one to the next.",
        default=True,
    ),
    Declaration(
        "VECTOR_SEARCH_TOP_K",
        "knowledge.top_k",
        integer(1, 100),
        "Chunks that a search gives unless the call says how many.",
        default=5,
        unit="chunks",
    ),
    Declaration(
        "KB_PATH",
        "knowledge.folder",
        PATH,
        "Folder of the documents; folders below `users` belong to one user each.",
        default_shown="the sample folder",
    ),
)

ASK: Final = (
    Declaration(
        "ASK_DATABASE_URL",
        "ask.database",
        DSN,
        "Login for checked SQL, as the role vmk_ask.",
        default_shown="DATABASE_URL, with SET ROLE vmk_ask",
    ),
    Declaration(
        "ASK_SOURCES",
        "ask.sources",
        WORDS,
        "Sources that may be asked: shipped names or files, with commas between; the first is the default.",
        default=("municipal", "listings", "spatial"),
    ),
    Declaration(
        "ASK_TIMEOUT",
        "ask.timeout_s",
        seconds(),
        "Time of one call, the drafter's apart.",
        default=10.0,
        unit="seconds",
    ),
    Declaration(
        "ASK_MAX_COST",
        "ask.max_cost",
        number(1, 1e12),
        "Highest cost that the planner may expect of a statement.",
        default=1_000_000.0,
        unit="planner cost",
    ),
    Declaration(
        "ASK_REPAIR_TRIES",
        "ask.repair_tries",
        integer(0, 5),
        "How often a refused draft goes back to the drafter with the reason.",
        default=1,
        unit="times",
    ),
    Declaration(
        "ANTHROPIC_API_KEY",
        "ask.anthropic_key",
        SECRET,
        "Key for the Anthropic drafter.",
        default_shown=_DRIVERS,
    ),
    Declaration(
        "ANTHROPIC_MODEL",
        "ask.anthropic_model",
        TEXT,
        "Model of the Anthropic drafter.",
        default_shown="the drafter's own choice",
    ),
    Declaration(
        "OPENAI_API_KEY",
        "ask.openai_key",
        SECRET,
        "Key for the OpenAI-compatible drafter.",
        default_shown=_DRIVERS,
    ),
    Declaration(
        "OPENAI_BASE_URL",
        "ask.openai_url",
        URL,
        "Address of an OpenAI-compatible drafter, up to /v1.",
        default_shown=_DRIVERS,
    ),
    Declaration(
        "OPENAI_MODEL",
        "ask.openai_model",
        TEXT,
        "Model of the OpenAI-compatible drafter.",
        default_shown="the drafter's own choice",
    ),
)
