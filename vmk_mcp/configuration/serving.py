"""Settings of the server itself: where it listens, whom it lets in, how much it takes."""

from typing import Final

from vmk_mcp.configuration.declaration import Declaration
from vmk_mcp.configuration.kinds import (
    HOST,
    NETWORKS,
    ORIGINS,
    PATH,
    SECRET,
    SWITCH,
    TEXT,
    URL,
    WORDS,
    choices_of,
    integer,
    only,
    seconds,
)

FAMILIES: Final = ("listings", "spatial", "knowledge", "ask", "diagnostics")
"""The words for families that a token may name, whether this build has them or not."""
BUILT_FAMILIES: Final = ("listings", "spatial", "knowledge", "ask", "diagnostics")
"""Those that this build can serve, in the order in which their tools are listed."""
_MEBIBYTE: Final = 1024 * 1024
_GIBIBYTE: Final = 1024 * _MEBIBYTE

SERVER: Final = (
    Declaration(
        "MCP_SERVER_NAME", "server.name", TEXT, "Name in the answer to initialize.", default="vmk-mcp"
    ),
    Declaration(
        "MCP_HOST",
        "server.host",
        HOST,
        "Address to listen on; any but a loopback one needs MCP_TOKENS_FILE.",
        default="127.0.0.1",
    ),
    Declaration(
        "MCP_PORT",
        "server.port",
        integer(0, 65535),
        "Port to listen on; 0 takes any free one.",
        default=8080,
    ),
    Declaration(
        "MCP_TRANSPORT",
        "server.transport",
        only("streamable-http", "the older SSE transport is not spoken; `vmk-mcp stdio` speaks stdio"),
        "Accepted because other servers have it.",
        default="streamable-http",
    ),
    Declaration(
        "MCP_STATELESS_HTTP",
        "server.stateless_http",
        only(True, "no sessions are kept, so that any replica may answer"),
        "Accepted because other servers have it.",
        default=True,
    ),
    Declaration(
        "MCP_TOKENS_FILE",
        "server.tokens_file",
        PATH,
        "TOML file with the tokens; see `vmk-mcp token new --help`.",
        default_shown="one token for 127.0.0.1, made in DATA_DIR",
    ),
    Declaration(
        "MCP_ALLOWED_ORIGINS",
        "server.allowed_origins",
        ORIGINS,
        "Origins that browsers may call from, with commas between.",
        default=(),
        default_shown="no origin",
    ),
    Declaration(
        "MCP_ALLOWED_HOSTS",
        "server.allowed_hosts",
        WORDS,
        "Values of the Host header that are served, with commas between.",
        default=(),
        default_shown="any",
    ),
    Declaration(
        "MCP_TRUSTED_PROXIES",
        "server.trusted_proxies",
        NETWORKS,
        "Addresses or networks whose X-Forwarded-* headers are believed.",
        default=(),
        default_shown="none",
    ),
    Declaration(
        "MCP_GET_STREAM",
        "server.get_stream",
        SWITCH,
        "Answer GET /mcp with a stream of comments instead of 405.",
        default=False,
    ),
    Declaration(
        "MCP_AUTH",
        "server.auth",
        SWITCH,
        "Ask for bearer tokens; off only on a loopback address, for conformance suites.",
        default=True,
    ),
    Declaration(
        "MAX_BODY_BYTES",
        "server.max_body_bytes",
        integer(1024, _GIBIBYTE),
        "Longest request body.",
        default=_MEBIBYTE,
        unit="bytes",
    ),
    Declaration(
        "MAX_RESPONSE_BYTES",
        "server.max_response_bytes",
        integer(65536, _GIBIBYTE),
        "Longest answer.",
        default=2 * _MEBIBYTE,
        unit="bytes",
    ),
    Declaration(
        "MAX_CONCURRENT_CALLS",
        "server.max_concurrent_calls",
        integer(1, 10_000),
        "Calls that run at once in one process.",
        default=64,
        unit="calls",
    ),
    Declaration(
        "MAX_QUEUED_CALLS",
        "server.max_queued_calls",
        integer(0, 100_000),
        "Calls that may wait for their turn; beyond it the answer is 503.",
        default=256,
        unit="calls",
    ),
    Declaration(
        "LOG_QUERIES", "server.log_queries", SWITCH, "Write query texts into the log.", default=False
    ),
    Declaration(
        "SHUTDOWN_GRACE_S",
        "server.shutdown_grace_s",
        seconds(minimum=0),
        "Time for calls in flight to end after SIGTERM.",
        default=10.0,
        unit="seconds",
    ),
)

TRACING: Final = (
    Declaration(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "tracing.endpoint",
        URL,
        "OpenTelemetry collector that takes OTLP over HTTP; each call is a span there. Needs "
        "vmk-mcp[opentelemetry].",
        default_shown="no spans",
    ),
    Declaration(
        "OTEL_EXPORTER_OTLP_HEADERS",
        "tracing.headers",
        SECRET,
        "Headers for the collector: name=value with commas between, values URL-encoded.",
        default_shown="none",
    ),
    Declaration(
        "OTEL_SERVICE_NAME",
        "tracing.service_name",
        TEXT,
        "Name of this service at the collector.",
        default_shown="MCP_SERVER_NAME",
    ),
)

PROCESS: Final = (
    Declaration(
        "VMK_FAMILIES",
        "families",
        choices_of(*BUILT_FAMILIES, absent=set(FAMILIES) - set(BUILT_FAMILIES)),
        "Families to serve, with commas between.",
        default=BUILT_FAMILIES,
        default_shown="all",
    ),
    Declaration(
        "DATA_DIR",
        "data_dir",
        PATH,
        "Folder of the embedded server, of caches and of the token that `make run` makes.",
        default_shown=".data in a checkout, else the user's data folder",
    ),
    Declaration(
        "VMK_URL",
        "client.url",
        URL,
        "Server that `vmk-mcp call` speaks to.",
        default_shown="the server that was last started here",
    ),
    Declaration(
        "VMK_TOKEN",
        "client.token",
        SECRET,
        "Token that `vmk-mcp call` shows.",
        default_shown="the token that `make run` made",
    ),
)
