"""From the environment to one frozen `Settings`; the only module that touches the environment."""

import ipaddress
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
import platformdirs
from msgspec import Struct

from vmk_mcp.configuration.dsn import Dsn
from vmk_mcp.configuration.kinds import FxRates
from vmk_mcp.configuration.reading import Reading, read_dotenv, read_values
from vmk_mcp.configuration.secret import Secret
from vmk_mcp.configuration.seed_file import read_seed_file
from vmk_mcp.configuration.table import SETTINGS
from vmk_mcp.errors import SettingsError

_PROJECT: Final = "vmk-mcp"
_DOTENV: Final = Path(".env")
_FOREIGN_MODEL: Final = "nomic-embed-text"


class DatabaseSettings(Struct, frozen=True, kw_only=True):
    """Which databases, and how they are used; a DSN of None means the embedded server."""

    listings: Dsn | None
    spatial: Dsn | None
    state: Dsn | None
    pool_min_size: int
    pool_max_size: int
    query_timeout_s: float
    pooler: str


class EmbeddingSettings(Struct, frozen=True, kw_only=True):
    """What turns texts into vectors.

    Attributes:
        embedder: `local`, `ollama` or `openai`.
        data_model: model of the stored vectors; None: the embedded server has it on record.
        query_prefix: None: by model.
        document_prefix: None: by model.
    """

    embedder: str
    data_model: str | None
    query_prefix: str | None
    document_prefix: str | None
    ollama_url: str
    ollama_model: str
    dimensions: int
    request_timeout_s: float
    openai_url: str | None
    openai_key: Secret | None
    openai_model: str | None


class ServerSettings(Struct, frozen=True, kw_only=True):
    """Where the server listens, whom it lets in and how much it takes.

    Attributes:
        tokens_file: None: the one that `make run` keeps in `data_dir`.
        allowed_hosts: empty: any.
        trusted_proxies: networks in CIDR form.
    """

    name: str
    host: str
    port: int
    transport: str
    stateless_http: bool
    tokens_file: Path | None
    allowed_origins: tuple[str, ...]
    allowed_hosts: tuple[str, ...]
    trusted_proxies: tuple[str, ...]
    get_stream: bool
    auth: bool
    max_body_bytes: int
    max_response_bytes: int
    max_concurrent_calls: int
    max_queued_calls: int
    log_queries: bool
    shutdown_grace_s: float


class ListingsSettings(Struct, frozen=True, kw_only=True):
    """Real-estate search; `fx_rates` of None means the sample's, or none for a foreign database."""

    max_limit: int
    price_currency: str
    fx_rates: FxRates | None


class KnowledgeSettings(Struct, frozen=True, kw_only=True):
    """Index over a folder of documents; `folder` of None means the sample's.

    Attributes:
        model: None: by embedder.
        by_headings: no chunk goes over from one heading's text to the next one's.
        qdrant_url: None: a folder in `data_dir`.
    """

    enabled: bool
    embedder: str
    model: str | None
    store: str
    chunking: str
    chunk_size: int
    chunk_overlap: int
    by_headings: bool
    qdrant_url: str | None
    qdrant_key: Secret | None
    top_k: int
    folder: Path | None


class AskSettings(Struct, frozen=True, kw_only=True):
    """Questions to SQL; `database` of None means the listings database under another role."""

    database: Dsn | None
    sources: tuple[str, ...]
    timeout_s: float
    max_cost: float
    repair_tries: int
    anthropic_key: Secret | None
    anthropic_model: str | None
    openai_key: Secret | None
    openai_url: str | None
    openai_model: str | None


class ClientSettings(Struct, frozen=True, kw_only=True):
    """What `vmk-mcp call` uses; None: what the last server here left behind."""

    url: str | None
    token: Secret | None


class TracingSettings(Struct, frozen=True, kw_only=True):
    """Where each call is shown as a span; `endpoint` of None: nowhere."""

    endpoint: str | None
    headers: Secret | None
    service_name: str | None


class Settings(Struct, frozen=True, kw_only=True):
    """All settings, checked; `warnings` are for the operator and hold no secret."""

    database: DatabaseSettings
    embedding: EmbeddingSettings
    server: ServerSettings
    tracing: TracingSettings
    listings: ListingsSettings
    knowledge: KnowledgeSettings
    ask: AskSettings
    client: ClientSettings
    families: tuple[str, ...]
    data_dir: Path
    warnings: tuple[str, ...] = ()


def read_settings(
    environ: Mapping[str, str] | None = None, dotenv: Path | None = None, config: Path | None = None
) -> Settings:
    """Read all settings; the environment wins over the `.env` file, and that over `config`.

    Args:
        environ: names and texts; None: the process's environment, and then `.env` of the working directory
            is read too unless `dotenv` names another file.
        dotenv: the `.env` file, if it exists.
        config: a `config.yaml`; see `configuration.seed_file`.

    Raises:
        SettingsError: the message names every setting that is ill-typed, impossible or contradicted.
    """
    if environ is None:
        environ, dotenv = os.environ, dotenv or _DOTENV
    texts, faults = read_dotenv(dotenv) if dotenv is not None and dotenv.is_file() else ({}, [])
    if config is not None:
        seed, more = read_seed_file(config)
        texts, faults = {**seed, **texts}, [*faults, *more]
    reading = read_values(environ, texts)
    values = {**_defaults(reading), **reading.values}
    faults += reading.faults + _find_contradictions(values, set(reading.values))
    if faults:
        raise SettingsError(
            "\n".join(fault if fault.endswith((".", "?")) else f"{fault}." for fault in faults),
            hint="Mend them in the environment or in .env; .env.example shows the usual ones.",
        )
    settings = msgspec.convert({**_nest(values), "warnings": tuple(reading.warnings)}, Settings)
    if settings.knowledge.enabled:
        return settings
    return msgspec.structs.replace(
        settings, families=tuple(word for word in settings.families if word != "knowledge")
    )


def calm_native_threads() -> None:
    """Keep numpy's BLAS on one thread that sleeps between calls; call it before numpy is imported.

    Spinning OpenMP workers would take the second core away from Postgres. What an operator set stays.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def is_loopback(host: str) -> bool:
    """Say whether nobody outside this machine can reach `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _defaults(reading: Reading) -> dict[str, object]:
    """Give every setting's default, those included that follow from what was set."""
    given = reading.values
    is_foreign = "database.listings" in given
    defaults: dict[str, object] = {declaration.field: declaration.default for declaration in SETTINGS}
    defaults["embedding.embedder"] = "ollama" if is_foreign else "local"
    defaults["embedding.data_model"] = _FOREIGN_MODEL if is_foreign else None
    defaults["data_dir"] = _default_data_dir()
    low, high = given.get("database.pool_min_size"), given.get("database.pool_max_size")
    usual = defaults["database.pool_max_size"]
    if isinstance(usual, int):
        defaults["database.pool_max_size"] = max(usual, low) if isinstance(low, int) else usual
        defaults["database.pool_min_size"] = min(usual, high) if isinstance(high, int) else usual
    return defaults


def _default_data_dir() -> Path:
    checkout = Path(__file__).resolve().parent.parent
    if _is_checkout(checkout):
        return checkout / ".data"
    return platformdirs.user_data_path(_PROJECT, appauthor=False)


def _is_checkout(folder: Path) -> bool:
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        return False
    return isinstance(project, dict) and project.get("name") == _PROJECT


def _find_contradictions(values: Mapping[str, object], given: set[str]) -> list[str]:
    faults = []
    low, high = values["database.pool_min_size"], values["database.pool_max_size"]
    if isinstance(low, int) and isinstance(high, int) and low > high:
        faults.append(f"DB_POOL_MIN_SIZE ({low}) is above DB_POOL_MAX_SIZE ({high})")
    size, overlap = values["knowledge.chunk_size"], values["knowledge.chunk_overlap"]
    if isinstance(size, int) and isinstance(overlap, int) and overlap >= size:
        faults.append(f"VECTOR_CHUNK_OVERLAP ({overlap}) must be less than VECTOR_CHUNK_SIZE ({size})")
    if values["embedding.embedder"] == "openai":
        needed = {"embedding.openai_url": "EMBED_BASE_URL", "embedding.openai_model": "EMBED_MODEL"}
        faults += [
            f"EMBEDDER is openai, so {name} must be set"
            for field, name in needed.items()
            if field not in given
        ]
    return faults + _find_missing_embedder(values) + _find_open_doors(values)


def _find_missing_embedder(values: Mapping[str, object]) -> list[str]:
    """The documents' embedder behind HTTP needs an address, and a model of its own or the listings' one."""
    provider = values["knowledge.embedder"]
    if not values["knowledge.enabled"] or provider not in {"openai", "infinity"}:
        return []
    faults = []
    if values["embedding.openai_url"] is None:
        faults.append(f"VECTOR_EMBEDDING_PROVIDER is {provider}, so EMBED_BASE_URL must be set")
    if values["knowledge.model"] is None and values["embedding.openai_model"] is None:
        faults.append(f"VECTOR_EMBEDDING_PROVIDER is {provider}, so VECTOR_EMBEDDING_MODEL must be set")
    return faults


def _find_open_doors(values: Mapping[str, object]) -> list[str]:
    """A server that others can reach must know who calls."""
    host = str(values["server.host"])
    if is_loopback(host):
        return []
    if values["server.auth"] is False:
        return [f"MCP_AUTH is off while MCP_HOST is {host}; without tokens only a loopback address is served"]
    if values["server.tokens_file"] is None:
        return [f"MCP_HOST is {host}, which others can reach, so MCP_TOKENS_FILE must be set"]
    return []


def _nest(values: Mapping[str, object]) -> dict[str, object]:
    """Turn dotted paths into dictionaries."""
    nested: dict[str, object] = {}
    for path, value in values.items():
        subject, _, name = path.rpartition(".")
        if not subject:
            nested[name] = value
            continue
        inner = nested.setdefault(subject, {})
        if isinstance(inner, dict):
            inner[name] = value
    return nested
