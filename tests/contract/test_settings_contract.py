"""`contracts/settings.json`, `.env.example` and the table of settings say the same."""

import json
import re
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from vmk_mcp.configuration.declaration import Declaration
from vmk_mcp.configuration.table import SETTINGS
from vmk_mcp.settings import Settings, read_settings

ROOT: Final = Path(__file__).parents[2]
CONTRACT: Final = ROOT / "contracts" / "settings.json"
EXAMPLE: Final = ROOT / ".env.example"
README: Final = ROOT / "README.md"
MENTION: Final = re.compile(
    r"\b(?:ANTHROPIC|ASK|DATABASE|DATA|DB|EMBED|FX|KB|LOG|MAX|MCP|OLLAMA|OPENAI|OTEL|PRICE|QUERY|SHUTDOWN"
    r"|SPATIAL|STATE|VECTOR|VMK)_[A-Z_]*[A-Z]\b"
)


PUBLISHED: Final = """
DATABASE_URL DB_HOST DB_PORT DB_NAME DB_USER DB_PASSWORD SPATIAL_DATABASE_URL STATE_DATABASE_URL
DB_POOL_MIN_SIZE DB_POOL_MIN DB_POOL_MAX_SIZE DB_POOL_MAX DB_QUERY_TIMEOUT QUERY_TIMEOUT_SEC DB_POOLER
EMBEDDER DATA_EMBED_MODEL EMBED_QUERY_PREFIX EMBED_DOCUMENT_PREFIX EMBED_BASE_URL EMBED_API_KEY EMBED_MODEL
OLLAMA_BASE_URL OLLAMA_HOST OLLAMA_EMBED_MODEL OLLAMA_MODEL OLLAMA_EMBED_DIMENSIONS OLLAMA_REQUEST_TIMEOUT
OLLAMA_TIMEOUT_SEC MCP_SERVER_NAME MCP_HOST MCP_PORT MCP_TRANSPORT MCP_STATELESS_HTTP MCP_TOKENS_FILE
MCP_ALLOWED_ORIGINS MCP_ALLOWED_HOSTS MCP_TRUSTED_PROXIES MCP_GET_STREAM MCP_AUTH MAX_LIMIT PRICE_CURRENCY
FX_RATES VECTOR_SEARCH_ENABLED VECTOR_EMBEDDING_PROVIDER VECTOR_EMBEDDING_MODEL VECTOR_STORE_PROVIDER
VECTOR_CHUNKING_STRATEGY VECTOR_CHUNK_SIZE VECTOR_CHUNK_OVERLAP VECTOR_SEARCH_TOP_K KB_PATH
VECTOR_QDRANT_URL VECTOR_QDRANT_API_KEY VECTOR_RESPECT_HEADERS ASK_DATABASE_URL
ASK_SOURCES ASK_TIMEOUT ASK_MAX_COST ASK_REPAIR_TRIES ANTHROPIC_API_KEY ANTHROPIC_MODEL OPENAI_API_KEY
OPENAI_BASE_URL OPENAI_MODEL MAX_BODY_BYTES MAX_RESPONSE_BYTES MAX_CONCURRENT_CALLS MAX_QUEUED_CALLS
LOG_QUERIES SHUTDOWN_GRACE_S OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS OTEL_SERVICE_NAME
VMK_FAMILIES DATA_DIR VMK_URL VMK_TOKEN
"""
"""Names that operators' files hold, so none is ever taken away."""


def describe(declaration: Declaration) -> dict[str, Any]:
    """Give a setting as the contract says it; what does not apply is left out."""
    kind = declaration.kind
    fields = {
        "name": declaration.name,
        "aliases": declaration.aliases,
        "parts": declaration.parts,
        "type": kind.type,
        "unit": declaration.unit,
        "minimum": kind.minimum,
        "maximum": kind.maximum,
        "choices": kind.choices,
        "default": declaration.default_shown or declaration.default,
        "secret": declaration.is_secret or None,
        "meaning": declaration.meaning,
    }
    kept = {name: value for name, value in fields.items() if name == "default" or value not in (None, "", ())}
    described: dict[str, Any] = json.loads(msgspec.json.encode(kept))
    return described


def test_the_contract_lists_every_setting_word_for_word_and_no_other() -> None:
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    assert contract["settings"] == [describe(declaration) for declaration in SETTINGS]


def test_every_published_name_is_answered_to() -> None:
    assert {name for declaration in SETTINGS for name in declaration.names} == set(PUBLISHED.split())


@pytest.mark.parametrize(
    ("alias", "name", "text"),
    [
        ("DB_POOL_MIN", "DB_POOL_MIN_SIZE", "3"),
        ("DB_POOL_MAX", "DB_POOL_MAX_SIZE", "7"),
        ("QUERY_TIMEOUT_SEC", "DB_QUERY_TIMEOUT", "7"),
        ("OLLAMA_HOST", "OLLAMA_BASE_URL", "http://h:1"),
        ("OLLAMA_MODEL", "OLLAMA_EMBED_MODEL", "other"),
        ("OLLAMA_TIMEOUT_SEC", "OLLAMA_REQUEST_TIMEOUT", "7"),
    ],
)
def test_an_alias_sets_what_its_setting_sets(alias: str, name: str, text: str) -> None:
    by_alias = read_settings({"DATA_DIR": "/nowhere", alias: text})
    assert by_alias == read_settings({"DATA_DIR": "/nowhere", name: text})
    assert by_alias != read_settings({"DATA_DIR": "/nowhere"})


def test_no_name_stands_for_two_settings() -> None:
    names = [name for declaration in SETTINGS for name in declaration.names]
    assert len(names) == len(set(names))


def test_every_field_of_settings_is_declared_and_every_declaration_is_a_field() -> None:
    settings = msgspec.structs.asdict(read_settings({"DATA_DIR": "/nowhere"}))
    paths = set()
    for subject, value in settings.items():
        inner = msgspec.structs.fields(value) if isinstance(value, msgspec.Struct) else ()
        paths |= {f"{subject}.{one.name}" for one in inner} or {subject}
    assert paths - {"warnings"} == {declaration.field for declaration in SETTINGS}


@pytest.mark.parametrize("declaration", SETTINGS, ids=lambda declaration: declaration.name)
def test_a_default_is_a_value_that_the_setting_itself_takes(declaration: Declaration) -> None:
    default = declaration.default
    if default is None or default == ():
        assert declaration.default_shown or default is None
        return
    words = default if isinstance(default, tuple) else (default,)
    text = ",".join(("off", "on")[word] if isinstance(word, bool) else str(word) for word in words)
    assert declaration.kind.parse(text) == default


def test_the_example_file_names_only_settings() -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    names = [
        line[1:].partition("=")[0]
        for line in lines
        if line.startswith("#") and line[1:2].isupper() and "=" in line
    ]
    assert names
    assert set(names) <= {name for declaration in SETTINGS for name in declaration.names}


@pytest.mark.parametrize("path", [README, EXAMPLE, CONTRACT], ids=lambda path: path.name)
def test_whatever_setting_a_text_mentions_exists(path: Path) -> None:
    mentioned = set(MENTION.findall(path.read_text(encoding="utf-8")))
    assert mentioned - set(PUBLISHED.split()) == set()


def test_the_readme_leads_to_the_list_of_all_settings() -> None:
    assert "](contracts/settings.json)" in README.read_text(encoding="utf-8")


def test_the_example_file_uncommented_is_read_without_a_fault(tmp_path: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    lines = [line[1:] if line[1:2].isupper() and "=" in line else line for line in text.splitlines()]
    whole = [line for line in lines if not line.startswith("DATABASE_URL=")]
    (tmp_path / "env").write_text("\n".join(whole), encoding="utf-8")
    settings = read_settings({}, tmp_path / "env")
    assert isinstance(settings, Settings)
    assert settings.warnings == ()
    assert settings.database.listings is not None
    assert settings.database.listings.parts.password is not None
    assert settings.database.listings.parts.password.reveal() == "p@ss:w/rd"
