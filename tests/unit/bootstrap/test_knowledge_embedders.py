"""What the index is to be by the settings, and what makes its chunks and vectors."""

from pathlib import Path

import pytest

from tests.fakes import RecordingObserver
from vmk_mcp.bootstrap.knowledge_embedders import Workshops, find_reach, make_plan
from vmk_mcp.embedding.local import LOCAL_MODEL
from vmk_mcp.errors import SettingsError, StartError
from vmk_mcp.settings import read_settings


def plan_of(folder: Path, **environ: str) -> tuple[str, str, int, str, int, str]:
    settings = read_settings({"DATA_DIR": str(folder), **environ})
    plan = make_plan(settings, Workshops(settings, RecordingObserver()).find_dimensions)
    return plan.provider, plan.model, plan.dimensions, plan.chunker, plan.chunk_size, plan.store


def test_by_default_it_is_of_the_local_model_in_chunks_that_it_reads_to_the_end(tmp_path: Path) -> None:
    assert plan_of(tmp_path) == ("local", LOCAL_MODEL, 384, "fixed_size_overlap-v1", 500, "pgvector")


def test_settings_change_the_plan(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path,
        VECTOR_EMBEDDING_PROVIDER="infinity",
        VECTOR_EMBEDDING_MODEL="BAAI/bge-m3",
        EMBED_BASE_URL="http://127.0.0.1:7997",
        OLLAMA_EMBED_DIMENSIONS="1024",
        VECTOR_CHUNKING_STRATEGY="semantic",
        VECTOR_RESPECT_HEADERS="off",
        VECTOR_CHUNK_SIZE="1500",
        VECTOR_STORE_PROVIDER="faiss",
    )
    assert plan == ("infinity", "BAAI/bge-m3", 1024, "semantic-across-headings-v1", 1500, "faiss")


def test_a_chunk_is_never_longer_than_the_model_reads(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path,
        VECTOR_EMBEDDING_PROVIDER="ollama",
        VECTOR_EMBEDDING_MODEL="all-minilm",
        VECTOR_CHUNK_SIZE="8192",
    )
    assert plan[4] == find_reach("ollama", "all-minilm").tokens < 256


def test_an_embedder_behind_http_needs_an_address_and_a_model(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="EMBED_BASE_URL") as fault:
        plan_of(tmp_path, VECTOR_EMBEDDING_PROVIDER="openai")
    assert "VECTOR_EMBEDDING_MODEL" in fault.value.message


def test_a_package_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(StartError, match="sentence_transformers"):
        plan_of(tmp_path, VECTOR_EMBEDDING_PROVIDER="sentence_transformers")


async def test_one_embedder_serves_all_plans_of_its_model(tmp_path: Path) -> None:
    settings = read_settings(
        {"DATA_DIR": str(tmp_path), "VECTOR_EMBEDDING_PROVIDER": "ollama", "VECTOR_CHUNK_SIZE": "100"}
    )
    workshops = Workshops(settings, RecordingObserver())
    plan = make_plan(settings, workshops.find_dimensions)
    one, other = workshops.make(plan), workshops.make(plan)
    assert one.embedder is other.embedder
    assert one.chunker.rules.size == 100
    await workshops.close()
