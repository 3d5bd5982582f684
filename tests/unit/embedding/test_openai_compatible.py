"""The OpenAI protocol's own ways: its request, key, order of rows and addresses."""

import json

import httpx
import pytest
import respx

from tests.unit.embedding.servers import DIMENSIONS, OPENAI, PauseLog, embed_inputs, open_openai
from vmk_mcp.embedding.endpoint import Route
from vmk_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from vmk_mcp.embedding.remote import RemoteModel
from vmk_mcp.errors import EmbeddingUnavailable, SettingsError


@respx.mock
async def test_the_request_carries_model_inputs_and_the_key() -> None:
    route = respx.post(OPENAI.url).mock(side_effect=embed_inputs(OPENAI))
    await open_openai(PauseLog()).embed_queries(["дві кімнати"])
    request = route.calls.last.request
    assert request.headers["authorization"] == "Bearer made-up-key"
    assert json.loads(request.content) == {
        "model": "bge-m3",
        "input": ["дві кімнати"],
        "encoding_format": "float",
    }


@respx.mock
async def test_without_a_key_no_authorization_is_sent() -> None:
    route = respx.post(OPENAI.url).mock(side_effect=embed_inputs(OPENAI))
    await OpenAICompatibleEmbedder(RemoteModel("http://embedder:7997", "m", DIMENSIONS)).embed_queries(["a"])
    assert "authorization" not in route.calls.last.request.headers


@respx.mock
async def test_a_model_that_can_shorten_its_vectors_is_asked_to() -> None:
    route = respx.post(OPENAI.url).mock(side_effect=embed_inputs(OPENAI))
    model = RemoteModel("http://embedder:7997", "text-embedding-3-small", DIMENSIONS)
    await OpenAICompatibleEmbedder(model).embed_queries(["a"])
    assert json.loads(route.calls.last.request.content)["dimensions"] == DIMENSIONS


@respx.mock
async def test_rows_are_put_in_the_order_of_their_index() -> None:
    rows = [
        {"index": 1, "embedding": [0.0, 1.0, 0.0, 0.0]},
        {"index": 0, "embedding": [1.0, 0.0, 0.0, 0.0]},
    ]
    respx.post(OPENAI.url).mock(return_value=httpx.Response(200, json={"data": rows}))
    vectors = await open_openai(PauseLog()).embed_documents(["a", "b"])
    assert vectors.tolist() == [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]


@respx.mock
@pytest.mark.parametrize("indexes", [(0, 0), (1, 2), (-1, 0)])
async def test_rows_that_cannot_be_told_apart_are_refused(indexes: tuple[int, int]) -> None:
    rows = [{"index": index, "embedding": [1.0, 0.0, 0.0, 0.0]} for index in indexes]
    respx.post(OPENAI.url).mock(return_value=httpx.Response(200, json={"data": rows}))
    with pytest.raises(EmbeddingUnavailable, match="which vector belongs to which text"):
        await open_openai(PauseLog()).embed_documents(["a", "b"])


@respx.mock
@pytest.mark.parametrize(
    ("status", "error"),
    [(404, "The model `bge-m3` does not exist."), (400, "model not found: bge-m3")],
)
async def test_a_model_that_is_not_served_is_named_with_its_setting(status: int, error: str) -> None:
    respx.post(OPENAI.url).mock(return_value=httpx.Response(status, json={"error": {"message": error}}))
    with pytest.raises(EmbeddingUnavailable, match="does not have the model 'bge-m3'") as caught:
        await open_openai(PauseLog()).embed_queries(["a"])
    assert "EMBED_MODEL" in caught.value.hint


@respx.mock
async def test_a_refused_key_names_its_setting_and_not_itself() -> None:
    respx.post(OPENAI.url).mock(
        return_value=httpx.Response(401, json={"error": "Incorrect API key provided: made-up-key"})
    )
    with pytest.raises(EmbeddingUnavailable, match="refused the key") as caught:
        await open_openai(PauseLog()).embed_queries(["a"])
    assert "EMBED_API_KEY" in caught.value.hint
    assert "made-up-key" not in caught.value.message + caught.value.hint


def test_a_route_never_prints_its_headers() -> None:
    assert "made-up-key" not in repr(Route("http://a", 1.0, (("authorization", "Bearer made-up-key"),)))


@respx.mock
@pytest.mark.parametrize(
    ("base_url", "asked"),
    [
        ("http://gpu:7997", "http://gpu:7997/v1/embeddings"),
        ("http://gpu:7997/v1", "http://gpu:7997/v1/embeddings"),
        ("http://gpu:7997/v1/", "http://gpu:7997/v1/embeddings"),
        ("http://gpu:7997/embeddings", "http://gpu:7997/embeddings"),
        ("https://example.org/openai/v1", "https://example.org/openai/v1/embeddings"),
    ],
)
async def test_the_address_may_end_before_or_after_v1(base_url: str, asked: str) -> None:
    route = respx.post(asked).mock(side_effect=embed_inputs(OPENAI))
    await OpenAICompatibleEmbedder(RemoteModel(base_url, "m", DIMENSIONS)).embed_queries(["a"])
    assert route.called


def test_an_address_without_a_scheme_is_refused_with_the_name_of_its_setting() -> None:
    with pytest.raises(SettingsError, match="EMBED_BASE_URL"):
        OpenAICompatibleEmbedder(RemoteModel("gpu:7997", "m"))
