"""A `config.yaml` of the forerunner: its part `vector_search` counts, below the environment and `.env`."""

from pathlib import Path

import pytest

from vmk_mcp.errors import SettingsError
from vmk_mcp.settings import Settings, read_settings

SEED = """
# Vector Search Configuration
bot:
  token: "# not a comment"
  - a list of somebody else's
vector_search:
  enabled: true

  # Embedding configuration
  embedding:
    provider: sentence_transformers  # sentence_transformers, openai, infinity
    model: 'all-MiniLM-L6-v2'
  vector_store:
    provider: faiss
  chunking:
    strategy: semantic
    chunk_size: 256
    chunk_overlap: 20
    respect_headers: false
  search:
    top_k: 7
other: 1
"""


def read(folder: Path, text: str, environ: dict[str, str] | None = None) -> Settings:
    config = folder / "config.yaml"
    config.write_text(text, "utf-8")
    return read_settings({"DATA_DIR": str(folder), **(environ or {})}, config=config)


def test_the_forerunners_file_is_read_as_it_stands(tmp_path: Path) -> None:
    knowledge = read(tmp_path, SEED).knowledge
    assert (knowledge.embedder, knowledge.model) == ("sentence_transformers", "all-MiniLM-L6-v2")
    assert (knowledge.store, knowledge.chunking, knowledge.by_headings) == ("faiss", "semantic", False)
    assert (knowledge.chunk_size, knowledge.chunk_overlap, knowledge.top_k) == (256, 20, 7)


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    assert read(tmp_path, SEED, {"VECTOR_SEARCH_TOP_K": "9"}).knowledge.top_k == 9


def test_the_family_is_off_where_the_file_or_the_environment_says_so(tmp_path: Path) -> None:
    assert "knowledge" in read(tmp_path, "vector_search:\n").families
    assert "knowledge" not in read(tmp_path, "vector_search:\n  enabled: false\n").families
    assert "knowledge" not in read(tmp_path, "", {"VECTOR_SEARCH_ENABLED": "false"}).families


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("vector_search:\n  search:\n    top_k: many\n", "VECTOR_SEARCH_TOP_K"),
        ("vector_search:\n  chunking:\n    chunk_sise: 5\n", "line 3: vector_search.chunking.chunk_sise"),
        ("vector_search:\n  - a list\n", "line 2"),
        ("vector_search: on\n", "line 1"),
    ],
)
def test_what_cannot_be_is_named(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=fault):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_settings({"DATA_DIR": str(tmp_path)}, config=tmp_path / "none.yaml")
