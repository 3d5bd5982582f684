"""Ollama's own ways: its request, its addresses, and a model that was not pulled."""

import json

import httpx
import pytest
import respx

from tests.unit.embedding.servers import DIMENSIONS, OLLAMA, PauseLog, embed_inputs, open_ollama
from vmk_mcp.embedding.ollama import OllamaEmbedder
from vmk_mcp.embedding.prefixes import Prefixes
from vmk_mcp.embedding.remote import RemoteModel
from vmk_mcp.errors import EmbeddingUnavailable, SettingsError


@respx.mock
async def test_queries_and_documents_are_sent_with_the_prefixes_of_the_model() -> None:
    route = respx.post(OLLAMA.url).mock(side_effect=embed_inputs(OLLAMA))
    embedder = open_ollama(PauseLog())
    await embedder.embed_queries(["дві кімнати"])
    assert json.loads(route.calls[0].request.content) == {
        "model": "nomic-embed-text",
        "input": ["search_query: дві кімнати"],
        "truncate": True,
    }
    await embedder.embed_documents(["a", "b"])
    assert json.loads(route.calls[1].request.content)["input"] == [
        "search_document: a",
        "search_document: b",
    ]


@respx.mock
async def test_prefixes_that_are_handed_in_replace_those_of_the_model() -> None:
    route = respx.post(OLLAMA.url).mock(side_effect=embed_inputs(OLLAMA))
    model = RemoteModel(
        "http://embedder:11434", "nomic-embed-text", DIMENSIONS, prefixes=Prefixes("", "doc: ")
    )
    await OllamaEmbedder(model).embed_documents(["a"])
    assert json.loads(route.calls[0].request.content)["input"] == ["doc: a"]


@respx.mock
async def test_a_model_that_was_not_pulled_is_named_with_the_command_to_pull_it() -> None:
    error = {"error": 'model "nomic-embed-text" not found, try pulling it first'}
    respx.post(OLLAMA.url).mock(return_value=httpx.Response(404, json=error))
    with pytest.raises(EmbeddingUnavailable, match="does not have the model 'nomic-embed-text'") as caught:
        await open_ollama(PauseLog()).embed_queries(["a"])
    assert "`ollama pull nomic-embed-text`" in caught.value.hint


@respx.mock
@pytest.mark.parametrize(
    ("base_url", "asked"),
    [
        ("http://gpu:11434/", "http://gpu:11434/api/embed"),
        ("https://gpu/ollama", "https://gpu/ollama/api/embed"),
    ],
)
async def test_an_address_may_end_in_a_slash_or_have_a_path(base_url: str, asked: str) -> None:
    route = respx.post(asked).mock(side_effect=embed_inputs(OLLAMA))
    await OllamaEmbedder(RemoteModel(base_url, "bge-m3", DIMENSIONS)).embed_queries(["a"])
    assert route.called


@pytest.mark.parametrize("base_url", ["ftp://gpu:11434", "http://", "http://gpu:port", "gpu:11434", "gpu"])
def test_an_address_that_is_none_is_refused_with_the_name_of_its_setting(base_url: str) -> None:
    with pytest.raises(SettingsError, match="OLLAMA_BASE_URL"):
        OllamaEmbedder(RemoteModel(base_url, "bge-m3"))
